//go:build linux && (amd64 || arm64)

package grade

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gpusort/gpusort/cmd/lab/grade/child"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/cuda/nvrtc"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// TestMain makes this binary the child process too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == child.Command {
		os.Exit(child.Main())
	}
	if len(os.Args) > 1 && os.Args[1] == ordinaryCommand {
		os.Exit(ordinary(os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

const testRubric = `
title = "test"
distributions = ["reverse", "few-distinct"]
time_limit = "2s"
[[size]]
n = 2
points = 1
[[size]]
n = 1000
points = 2
[[speed]]
n = 5000
points = 4
ideal = 0.001
`

// options are those of a grading whose child is this binary.
func options(path, rubric string) (Options, error) {
	r, err := ParseRubric(rubric)
	if err != nil {
		return Options{}, err
	}
	exe, err := os.Executable()
	return Options{Submission: path, Rubric: r, Command: []string{exe, child.Command}}, err
}

func optionsFor(t *testing.T, path, rubric string) Options {
	t.Helper()
	o, err := options(path, rubric)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// gradeFile grades a file by a rubric's text.
func gradeFile(t *testing.T, path, rubric string) Report {
	t.Helper()
	rep, err := Run(t.Context(), optionsFor(t, path, rubric))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d, %g of %g points, refused %q, cases %+v, printed %q", rep.Seed, rep.Score, rep.Max, rep.Refused, rep.Cases, rep.Printed)
	return rep
}

// compile builds a C source into a library, or skips the test.
func compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		absent.Skip(t, "cc", "no C compiler on the PATH")
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c")+".so")
	args := append([]string{"-shared", "-fPIC", "-O1", "-pthread", "-I../../../include", "-o", out, source}, flags...)
	if b, err := exec.Command(cc, append(args, "-lrt")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return out
}

func fullMarks(t *testing.T, rep Report) {
	t.Helper()
	if rep.Refused != "" || rep.Score != rep.Max || rep.Max != 7 {
		t.Errorf("%g of %g points, %q; want all 7", rep.Score, rep.Max, rep.Refused)
	}
}

// TestLibraryCheats grades libraries that cheat or fail: each earns nothing,
// and the report says why.
func TestLibraryCheats(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"cached", "not the keys of the input"},
		{"sampled", "out of order"},
		{"invented", "not the keys of the input"},
		{"deferred", "out of order|not the keys"},
		{"woken", "refuses"},
		{"forked", "refuses"},
		{"before", "wrote outside a buffer: byte -4 of keys"},
		{"behind", "wrote outside a buffer: byte "},
		{"behindalt", "of keys_alt"},
		{"behindtemp", "byte 100 of temp, which has 100"},
		{"prints", "out of order|not the keys"},
		{"forges", "wrote to the pipe"},
		{"kills", "reached for another process"},
		{"killsearly", "reached for another process"},
		{"debugs", "reached for another process"},
		{"crashes", "crashed: SIGSEGV"},
		{"exits", "called exit(0) instead of sorting"},
		{"endless", "still running after 2s: time limit"},
		{"refuses", "refuses (code 42)"},
		{"oldheader", "no function gpusort_peer_sort"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rubric := testRubric
			if c.name == "endless" {
				rubric = "time_limit = \"2s\"\n[[size]]\nn = 100\npoints = 1\n[[size]]\nn = 200\npoints = 1"
			}
			rep := gradeFile(t, compile(t, "testdata/"+c.name+".c"), rubric)
			if rep.Score != 0 {
				t.Errorf("earned %g points", rep.Score)
			}
			said := rep.Refused
			for _, x := range rep.Cases {
				said += "\n" + x.Reason
			}
			found := false
			for _, w := range strings.Split(c.want, "|") {
				found = found || strings.Contains(said, w)
			}
			if !found {
				t.Errorf("want %q, the report says %q", c.want, said)
			}
		})
	}
}

// TestHonest grades libraries that do nothing wrong, or whose attempts are
// denied and do not change what they sort.
func TestHonest(t *testing.T) {
	fullMarks(t, gradeFile(t, compile(t, "testdata/honest.c"), testRubric))
	fullMarks(t, gradeFile(t, compile(t, "testdata/shrinks.c"), testRubric))
	// The clock is in another process.
	fullMarks(t, gradeFile(t, compile(t, "testdata/ownclock.c"), testRubric))
	outside := filepath.Join(t.TempDir(), "outside")
	fullMarks(t, gradeFile(t, compile(t, "testdata/writesfile.c", "-DOUTSIDE=\""+outside+"\""), testRubric))
	if _, err := os.Stat(outside); err == nil {
		t.Error("a submission made a file")
	}
}

func openclOrSkip(t *testing.T) { drivertest.Devices(t, opencl.New()) }

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func template(t *testing.T, k Kind) string {
	t.Helper()
	s, err := Template(k)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTemplates compiles and grades what --template prints.
func TestTemplates(t *testing.T) {
	t.Run("so", func(t *testing.T) {
		fullMarks(t, gradeFile(t, compile(t, writeFile(t, "heapsort.c", template(t, SO))), testRubric))
	})
	t.Run("cl", func(t *testing.T) {
		openclOrSkip(t)
		kinds, rubric := []string{"u32", "i64", "f32", "u8"}, testRubric
		if testing.Short() {
			kinds, rubric = kinds[:1], "[[size]]\nn = 1000\npoints = 7\n"
		}
		for _, k := range kinds {
			fullMarks(t, gradeFile(t, writeFile(t, "bitonic.cl", template(t, CL)), "key = \""+k+"\"\n"+rubric))
		}
	})
	t.Run("cu", func(t *testing.T) {
		compileCUDA(t, template(t, CU))
	})
}

// rankSort counts for each key how many belong before it: temporary storage,
// dynamic local memory, parameters, several kernels and the other buffer.
const rankSort = `
GPUSORT_KERNEL(2)
{
  ulong t = get_global_id(0);
  if (t >= n || a != 17) return;
  uint before = 0;
  for (ulong i = 0; i < n; i++)
    before += GPUSORT_KEYS[i] < GPUSORT_KEYS[t] || (GPUSORT_KEYS[i] == GPUSORT_KEYS[t] && i < t);
  ((__global uint *)GPUSORT_TEMP)[t] = before;
}
GPUSORT_KERNEL_SHARED(15)
{
  ulong t = get_global_id(0);
  uint l = get_local_id(0), m = get_local_size(0);
  __local gpusort_key *mine = (__local gpusort_key *)shared;
  if (t < n) mine[m - 1 - l] = GPUSORT_KEYS[t];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < n) GPUSORT_KEYS_ALT[((__global uint *)GPUSORT_TEMP)[t]] = mine[m - 1 - l];
}
void gpusort_plan(__global gpusort_plan_t *plan, ulong n)
{
  for (uint s = 0; s < 2; s++) {
    plan->step[s].number = s == 0 ? 2 : 15;
    plan->step[s].groups = (uint)(n / 64 + 1);
    plan->step[s].local_items = 64;
    plan->step[s].shared = s == 0 ? 0 : 64 * sizeof(gpusort_key);
    plan->step[s].a = 17;
  }
  plan->steps = 2;
  plan->result = 1;
  plan->temp = 4 * n;
}
`

func TestKernelFeatures(t *testing.T) {
	openclOrSkip(t)
	rubric := "key = \"u64\"\ndistributions = [\"few-distinct\"]\n[[size]]\nn = 2000\npoints = 7\n"
	rep := gradeFile(t, writeFile(t, "rank.cl", rankSort), rubric+"[[bar]]\nmetric = \"launches\"\nn = 2000\nat_most = 2\npoints = 3\n")
	fullMarks(t, rep)
	// PoCL's kernels are code of the process that would tell.
	if last := rep.Items[len(rep.Items)-1]; last.Status != Skipped || !strings.Contains(last.Detail, "not measured") || len(rep.Kernels) != 0 {
		t.Errorf("%+v, kernels %+v", last, rep.Kernels)
	}
}

// TestReference measures a submission against the catalogue's sort and a copy,
// on the processor and on OpenCL.
func TestReference(t *testing.T) {
	const rubric = "[[speed]]\nn = 5000\npoints = 4\nideal_share = 1e-6\n[[bar]]\nmetric = \"copy_share\"\nn = 5000\nat_least = 1e-9\npoints = 3\n"
	t.Run("cpu", func(t *testing.T) { fullMarks(t, gradeFile(t, compile(t, "testdata/honest.c"), rubric)) })
	t.Run("opencl", func(t *testing.T) {
		openclOrSkip(t)
		if testing.Short() {
			absent.Skip(t, "a run without -short", "nine processes compile kernels")
		}
		fullMarks(t, gradeFile(t, writeFile(t, "bitonic.cl", template(t, CL)), rubric))
	})
}

// TestPrintedIsHarmless keeps a submission from rewriting the terminal.
func TestPrintedIsHarmless(t *testing.T) {
	var e excerpt
	_, _ = e.Write([]byte("\x1b[2J100 of 100 points\r\n" + strings.Repeat("x", headBytes+2*tailBytes)))
	if s := e.String(); strings.ContainsAny(s, "\x1b\r") || len(s) > headBytes+tailBytes+20 || !strings.HasPrefix(s, "·[2J100") {
		t.Errorf("%d bytes, %.40q", len(s), s)
	}
	if got := Line("  a\n│ total │\t7\x1b[2J\xff\u202e" + strings.Repeat("é", lineBytes)); !strings.HasPrefix(got, "a │ total │ 7·[2J\ufffd·éé") || len(got) > lineBytes+5 || !utf8.ValidString(got) {
		t.Errorf("a line of %d bytes, %q", len(got), got)
	}
	hostile := "\x1b[2J" + strings.Repeat("é", tailBytes)
	r := Report{Refused: hostile, Sorter: hostile, Cases: []Case{{Reason: hostile, Fatal: hostile}}}
	r.tame()
	for _, s := range []string{r.Refused, r.Sorter, r.Cases[0].Reason, r.Cases[0].Fatal} {
		if len(s) > tailBytes+5 || strings.Contains(s, "\x1b") || !utf8.ValidString(s) {
			t.Errorf("%d bytes, %.40q", len(s), s)
		}
	}
}

// TestHostileSource: what a source says of itself is shown without its escapes, and
// nothing of it is long.
func TestHostileSource(t *testing.T) {
	openclOrSkip(t)
	for _, source := range []string{"#include \"\x1b]0;x\a", "#error \x1b[2J" + strings.Repeat("A", 200000) + "\n", "#line 1 \"\x1b[2J\"\nkernel int x"} {
		rep := gradeFile(t, writeFile(t, "x.cl", source), attackRubric)
		var b bytes.Buffer
		if err := rep.Write(&b, FormatJSON); err != nil {
			t.Fatal(err)
		}
		if rep.Refused == "" || strings.Contains(rep.Refused+rep.Printed, "\x1b") || b.Len() > 8*tailBytes {
			t.Errorf("%.30q: %d bytes, %.300q", source, b.Len(), rep.Refused)
		}
	}
}

// TestKernelCheats grades kernels that cheat or fail.
func TestKernelCheats(t *testing.T) {
	openclOrSkip(t)
	bitonic := template(t, CL)
	replace := func(old, with string) string {
		t.Helper()
		if !strings.Contains(bitonic, old) {
			t.Fatalf("the template has no %q any more", old)
		}
		return strings.Replace(bitonic, old, with, 1)
	}
	for _, c := range []struct{ name, source, want string }{
		{"sampled", replace("high < n", "high < n / 2"), "out of order"},
		{"nothing", replace("plan->steps = s;", "plan->steps = 0;"), "out of order"},
		{"outside", replace("if (high < n &&", "if (t == 0) keys[n] = 0;\n if (high < n &&"), "wrote outside a buffer"},
		{"prints", replace("plan->steps = s;", "plan->steps = 0; printf(\"FUNCTIONAL SUCCESS\\n\");"), "out of order"},
		{"cached", replace("if (high < n &&", "if (low < n) keys[low] = (uint)low; if (false &&"), "not the keys|out of order"},
		{"endless", replace("if (high < n &&", "while (GPUSORT_KEYS[low] + 1 != 0) { barrier(CLK_GLOBAL_MEM_FENCE); }\n if (high < n &&"), "time limit|crashed"},
		{"host", "int kill(int, int);\nint getppid(void);\n" + replace("plan->steps = s;", "plan->steps = s; kill(getppid(), 9);"), "reached for another process|does not compile|clEnqueueNDRangeKernel|crashed|Synchronize|exit"},
		{"syntax", "kernel int x", "does not compile:\nerror: x.cl:1:"},
		{"number", replace("number = 0", "number = 16"), "numbers are 0 to 15"},
		{"missing", replace("number = 0", "number = 3"), "gpusort_3"},
		{"geometry", replace("local_items = items", "local_items = 1 << 20"), "at most"},
		{"steps", replace("plan->steps = s;", "plan->steps = 1 << 20;"), "at most 65535"},
		{"temp", replace("plan->temp = 0;", "plan->temp = (ulong)1 << 50;"), "temporary storage, the limit is"},
		{"result", replace("plan->result = 0;", "plan->result = 1;"), "not the keys|out of order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && !slices.Contains([]string{"outside", "syntax"}, c.name) {
				absent.Skip(t, "a run without -short", "each of these compiles a kernel; two are a sample")
			}
			start := "20s" // kernels are compiled in it
			if c.name == "endless" {
				start = "4s"
			}
			rubric := "time_limit = \"3s\"\nstart_limit = \"" + start + "\"\n[[size]]\nn = 1000\npoints = 1\n[[speed]]\nn = 1000\npoints = 2\nideal = 0.001"
			rep := gradeFile(t, writeFile(t, "x.cl", c.source), rubric)
			said := rep.Refused
			for _, x := range rep.Cases {
				said += "\n" + x.Reason
			}
			found := false
			for _, w := range strings.Split(c.want, "|") {
				found = found || strings.Contains(said, w)
			}
			if rep.Score != 0 || !found {
				t.Errorf("%g points; want %q, the report says %q", rep.Score, c.want, said)
			}
			if c.name == "syntax" && !strings.Contains(rep.Remark(), "x.cl:1:") {
				t.Errorf("the table's remark, %q, does not say where the error is", rep.Remark())
			}
		})
	}
}

// TestHostSortWhereAKernelIsAsked refuses a library that sorts honestly, and
// leaves out what of a .cu would run on the host.
func TestHostSortWhereAKernelIsAsked(t *testing.T) {
	rep := gradeFile(t, compile(t, "testdata/honest.c"), "accept = [\"cl\", \"cu\"]\n"+testRubric)
	if rep.Score != 0 || !strings.Contains(rep.Refused, "what sorts must be a kernel") {
		t.Errorf("%g points, %q", rep.Score, rep.Refused)
	}
	t.Run("cu", func(t *testing.T) {
		compileCUDA(t, template(t, CU)) // skips without a compiler
		code, err := compiled(t, template(t, CU)+"\nextern \"C\" int host_part(int *x) { return x[0]; }\n")
		if errors.As(err, &refusal{}) {
			return // NVRTC takes no host code at all
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(code, "host_part") {
			t.Error("host code is in what the child loads")
		}
	})
}

// TestCUDADevice grades the CUDA template where there are a device and a
// compiler.
func TestCUDADevice(t *testing.T) {
	drivertest.Devices(t, cuda.New())
	compileCUDA(t, template(t, CU))
	bar := "[[bar]]\nmetric = \"occupancy\"\nn = 5000\nat_least = 0.01\npoints = 0\nunknown = \"zero\"\n"
	rep := gradeFile(t, writeFile(t, "bitonic.cu", template(t, CU)), testRubric+bar)
	fullMarks(t, rep)
	if len(rep.Kernels) == 0 || rep.Kernels[0].Registers == 0 || rep.Kernels[0].Occupancy == 0 {
		t.Errorf("kernels %+v", rep.Kernels)
	}
}

// compileCUDA compiles device code for sm_90 with nvcc or NVRTC, or skips the
// test.
func compileCUDA(t *testing.T, source string) string {
	t.Helper()
	code, err := compiled(t, source)
	if err != nil && strings.Contains(err.Error(), "no CUDA compiler") {
		absent.Skip(t, "nvcc", "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(code, "gpusort_make_plan") {
		t.Error("no gpusort_make_plan in the machine code")
	}
	return code
}

func compiled(t *testing.T, source string) (string, error) {
	t.Helper()
	o := optionsFor(t, "x.cu", testRubric)
	o.Progress = func(string) {}
	g := &grader{r: o.Rubric, dir: t.TempDir(), name: o.Submission, code: []byte(source), o: o}
	if err := g.confinement(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.compileCU(t.Context(), 90); err != nil {
		return "", err
	}
	return string(g.code), nil
}

// TestCUDAErrors tells code that does not compile from a compiler that is not
// there.
func TestCUDAErrors(t *testing.T) {
	compileCUDA(t, template(t, CU))
	_, err := compiled(t, "int x = ;")
	if !errors.As(err, &refusal{}) || !strings.Contains(err.Error(), "does not compile") {
		t.Errorf("a syntax error: %v", err)
	}
}

func TestNoCUDACompiler(t *testing.T) {
	t.Setenv(EnvNVCC, "no-such-nvcc")
	t.Setenv(nvrtc.EnvLibrary, "/no/such/libnvrtc.so")
	if _, err := compiled(t, template(t, CU)); err == nil || errors.As(err, &refusal{}) || !strings.Contains(err.Error(), "put nvcc on the PATH") {
		t.Errorf("no compiler: %v", err)
	}
}

// TestUnloadable: a library that cannot be loaded is called as its author calls it.
func TestUnloadable(t *testing.T) {
	for path, want := range map[string]string{
		writeFile(t, "mine.so", "\x7fELF"): "mine.so: file too short",
		compile(t, "testdata/oldheader.c"): "oldheader.so: no function gpusort_peer_sort: build it with include/gpusort_peer.h",
	} {
		if rep := gradeFile(t, path, attackRubric); rep.Refused != want {
			t.Errorf("%q, want %q", rep.Refused, want)
		}
	}
}

// TestSorterThatIsNotThere: the library is not blamed for a name that it does
// not have.
func TestSorterThatIsNotThere(t *testing.T) {
	o := optionsFor(t, compile(t, "testdata/refuses.c"), "[[size]]\nn = 10\npoints = 1")
	o.Sorter = "absent"
	rep, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := `refuses.so has no sorter "absent": known are cheat`; rep.Cases[0].Reason != want {
		t.Errorf("%q, want %q", rep.Cases[0].Reason, want)
	}
}

func TestDeviceOfTheWrongKind(t *testing.T) {
	for k, want := range map[Kind]string{CL: "device foo: a .cl submission runs on opencl", SO: "device foo: a .so submission runs on cpu or cuda"} {
		if _, err := chooseDevice(k, "foo"); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
