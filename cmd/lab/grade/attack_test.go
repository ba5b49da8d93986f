//go:build linux && (amd64 || arm64)

package grade

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// attackRubric has one size and so one process.
const attackRubric = "time_limit = \"2s\"\n[[size]]\nn = 1000\npoints = 7\n"

// whole skips a test where the machine cannot confine a submission.
func whole(t *testing.T, rep Report) {
	t.Helper()
	if !rep.Confinement.Whole {
		absent.Skip(t, "sandbox", "this machine lacks %v", rep.Confinement.Lacks)
	}
}

// TestAttacks grades submissions that attack the grader or the machine. Those
// whose call ends them earn nothing; the others refuse to sort once a call has
// succeeded, so that full marks mean that the attack failed.
func TestAttacks(t *testing.T) {
	other := writeFile(t, "other.c", "the work of another student")
	if err := os.Chmod(other, 0o666); err != nil {
		t.Fatal(err)
	}
	folder, err := unix.Open("/", unix.O_RDONLY, 0) // passed on, unless somebody minds
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(folder)
	parent := fmt.Sprintf("-DPARENT=%d", os.Getpid())
	for _, c := range []struct {
		name  string
		flags []string
		zero  string // what is said of a grade of zero; full marks without
	}{
		{name: "forges", zero: "out of order|not the keys"},
		{name: "parent", flags: []string{parent}},
		{name: "prlimit", flags: []string{parent}, zero: "reached for another process"},
		{name: "inherits"},
		{name: "scratch"},
		{name: "terminal"},
		{name: "reads", flags: []string{"-DOTHER=\"" + other + "\""}},
		{name: "caches"},
		{name: "sockets"},
		{name: "vforks"},
		{name: "threads"},
		{name: "gigabytes"},
		{name: "wakes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := compile(t, "testdata/attack/"+c.name+".c", c.flags...)
			before := self(t)
			start := time.Now()
			rep := gradeFile(t, path, attackRubric)
			whole(t, rep)
			if c.name == "caches" {
				rep = gradeFile(t, path, attackRubric) // a second time
			}
			if took := time.Since(start); took > 5*time.Minute {
				t.Errorf("the grader took %v", took)
			}
			if after := self(t); after != before {
				t.Errorf("the grader was changed from %+v to %+v", before, after)
			}
			if c.zero == "" {
				fullMarks(t, rep)
				return
			}
			said := rep.Refused + rep.Cases[0].Reason
			if rep.Score != 0 || !slices.ContainsFunc(strings.Split(c.zero, "|"), func(w string) bool { return strings.Contains(said, w) }) {
				t.Errorf("%g points; want %q, the report says %q", rep.Score, c.zero, said)
			}
		})
	}
}

// state is what an attack would change of the grader.
type state struct {
	nice  int
	cpus  unix.CPUSet
	limit [16]unix.Rlimit
}

func self(t *testing.T) (s state) {
	t.Helper()
	var err error
	if s.nice, err = unix.Getpriority(unix.PRIO_PROCESS, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.SchedGetaffinity(os.Getpid(), &s.cpus); err != nil {
		t.Fatal(err)
	}
	for i := range s.limit {
		if err := unix.Getrlimit(i, &s.limit[i]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestHalves: uniform keys of 64 bits are sorted by their upper halves, too.
func TestHalves(t *testing.T) {
	rep := gradeFile(t, compile(t, "testdata/attack/halves.c"), "key = \"u64\"\n"+attackRubric)
	if rep.Score != 0 || !strings.Contains(rep.Remark(), "low-bits-only: run 1: out of order") {
		t.Errorf("%g points, %s", rep.Score, rep.Remark())
	}
}

// TestScratchEarnsNothing: memory that a library takes for itself is not
// measured, and what is not measured earns no points.
func TestScratchEarnsNothing(t *testing.T) {
	bar := "[[bar]]\nmetric = \"temp_share\"\nn = 1000\nat_most = 1\npoints = 3\n"
	for unknown, max := range map[string]float64{"skip": 7, "zero": 10} {
		rep := gradeFile(t, compile(t, "testdata/attack/scratch.c"), attackRubric+bar+"unknown = \""+unknown+"\"\n")
		if rep.Score != 7 || rep.Max != max || !strings.Contains(rep.Items[1].Detail, "not measured") {
			t.Errorf("%s: %g of %g points, %+v", unknown, rep.Score, rep.Max, rep.Items[1])
		}
	}
}

// TestShortestTime: who answers faster than an empty turn is no faster than one.
func TestShortestTime(t *testing.T) {
	rep := gradeFile(t, compile(t, "testdata/honest.c"), "[[speed]]\nn = 2\npoints = 7\nideal = 1e9\n")
	if len(rep.Cases[0].NS) == 0 || slices.Min(rep.Cases[0].NS) < int64(rep.EmptyTurn) || !rep.Unstable {
		t.Errorf("an empty turn of %v, %+v", rep.EmptyTurn, rep.Cases)
	}
}

// TestOneMaximum: a wrong submission has the maximum of a right one.
func TestOneMaximum(t *testing.T) {
	bar := "[[bar]]\nmetric = \"launches\"\nn = 1000\nat_most = 1\npoints = 3\n"
	for _, name := range []string{"honest", "invented"} {
		if rep := gradeFile(t, compile(t, "testdata/"+name+".c"), attackRubric+bar); rep.Max != 7 || rep.Items[1].Status != Skipped {
			t.Errorf("%s: %g of %g points, %+v", name, rep.Score, rep.Max, rep.Items)
		}
	}
}

// TestFreshInputs: no two runs have one input, and a seed gives all again.
func TestFreshInputs(t *testing.T) {
	a, b, again := newSeeds(1), newSeeds(2), newSeeds(1)
	seen := map[uint64]bool{}
	for range 1000 {
		x, y := a.next(), b.next()
		if seen[x] || seen[y] || x != again.next() {
			t.Fatal("a seed repeats, or does not where it must")
		}
		seen[x], seen[y] = true, true
	}
	o := optionsFor(t, compile(t, "testdata/honest.c"), attackRubric)
	var drawn []uint64
	for _, seed := range []uint64{0, 0, 5} {
		o.Seed = seed
		rep, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Replay != (seed != 0) {
			t.Errorf("seed %d: replay %v", seed, rep.Replay)
		}
		drawn = append(drawn, rep.Seed)
	}
	if drawn[0] == drawn[1] || drawn[2] != 5 {
		t.Errorf("seeds %v", drawn)
	}
}

// TestSource refuses source that reaches outside itself, however it is written.
func TestSource(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		host bool
		text string
		want string
	}{
		{CL, true, "kernel void f() { __asm__(\"nop\"); }", "line 1: __asm__"},
		{CL, true, "\n#define A a\\\nsm\nA(\"nop\");", "asm"},
		{CL, true, "/* // */ asm(\"nop\");", "assembly"},
		{CL, true, "as/**/m; // no asm here\n/* asm */", ""},
		{CL, true, "#if 0\n' /*\n#endif\n__asm__(\"nop\");\n/* */", "line 4: __asm__"},
		{CL, true, "#if 0\n\" /*\n#endif\nasm(\"nop\");\n/* */", "line 4: asm"},
		{CL, true, "// x\rasm(\"nop\");", "line 2: asm"},
		{CL, true, "as\\\f\nm(\"nop\");", "line 1: asm"},
		{CL, true, "__constant char s[] = \"??/\" /*\"; asm(\"nop\"); /* */", "line 1: ??/"},
		{CL, false, "#if 0\n' /*\n#endif\n#include \"x\"\n/* */", "reads no other"},
		{CL, false, "x;\n\x00y;", "line 2: a zero byte"},
		{CU, false, "\xff\xfex\x00", "UTF-8"},
		{CL, true, "#define J(x, y) x##y\nJ(a, sm)(\"nop\");", "## is refused"},
		{CL, true, "%:define J(x, y) x%:%:y", "## is refused"},
		{CL, false, "#define J(x, y) x##y\nasm(\"nop\");", ""},
		{CL, true, "#include \"../b/sort.cl\"", "line 1: #include \"../b/sort.cl\""},
		{CL, false, " # /* x */ include </etc/passwd>", "reads no other"},
		{CL, false, "int x;\n%:include NAME", "line 2: #include NAME"},
		{CL, false, "#inc\\\nlude \"x\"", "reads no other"},
		{CL, false, "#\\\n  include \"x\"", "reads no other"},
		{CL, false, "#import \"x\"", "reads no other"},
		{CL, false, "#embed \"x\"", "reads no other"},
		{CL, false, "#if __has_include(\"../b/sort.cl\")", "__has_include"},
		{CU, false, "#include <cooperative_groups.h>\n#include <cuda/std/bit>", ""},
		{CU, false, "#include </etc/passwd>", "reads no other"},
		{CU, false, "#include <../x>", "reads no other"},
		{CU, false, "#include \"other.cu\"", "reads no other"},
		{CU, false, "asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));", ""},
	} {
		err := checkSource(c.kind, c.host, c.text)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %q: %v, want %q", c.kind, c.text, err, c.want)
		}
	}
	for _, k := range []Kind{CL, CU} {
		if err := checkSource(k, true, template(t, k)); err != nil {
			t.Errorf("the %s template: %v", k, err)
		}
	}
}

// TestMarkedSource: what editors put before text in UTF-8 stays out of the middle of what is compiled.
func TestMarkedSource(t *testing.T) {
	r := optionsFor(t, "x.cl", attackRubric).Rubric
	if got, want := wrap(r, CL, "x.cl", "\ufeffint x;"), wrap(r, CL, "x.cl", "int x;"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRequireSandbox refuses where the submission would keep its rights.
func TestRequireSandbox(t *testing.T) {
	o := optionsFor(t, compile(t, "testdata/honest.c"), attackRubric)
	o.Unconfined = true
	rep, err := Run(t.Context(), o)
	if err != nil || rep.Score != 7 || !strings.HasPrefix(rep.Confinement.Line(), "NOT CONFINED: this machine lacks namespaces (--unconfined)") {
		t.Errorf("%v, %g points, %s", err, rep.Score, rep.Confinement.Line())
	}
	if v, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || v != 1 {
		t.Errorf("dumpable after a grading: %d, %v", v, err)
	}
	o.RequireSandbox = true
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "cannot confine a submission") {
		t.Errorf("%v", err)
	}
}

// TestLinkedSubmission: a link could lead to a file of another.
func TestLinkedSubmission(t *testing.T) {
	link := filepath.Join(t.TempDir(), "x.so")
	if err := os.Symlink("/etc/passwd", link); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "x.cl")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), optionsFor(t, pipe, attackRubric)); err == nil || !strings.Contains(err.Error(), "a device") {
		t.Errorf("a pipe: %v", err)
	}
	if _, err := Run(t.Context(), optionsFor(t, link, attackRubric)); err == nil || !strings.Contains(err.Error(), "a link") {
		t.Errorf("%v", err)
	}
}

// TestOpenFile: what took a submission's place after it was looked at is neither followed nor waited
// for.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	file := writeFile(t, "x.cl", "kernel")
	if err := errors.Join(unix.Mkfifo(at("pipe"), 0o600), os.Symlink(file, at("link")), os.Symlink("/nowhere", at("loose"))); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{
		at("pipe"): "a device: give a file", at("link"): "too many levels of symbolic links", at("loose"): "too many levels of symbolic links",
		dir: "a folder", "/dev/zero": "a device", at("none"): "no such file", file: "",
	} {
		opened := make(chan error, 1)
		go func() {
			f, err := openFile(path)
			if err == nil {
				err = f.Close()
			}
			opened <- err
		}()
		select {
		case err := <-opened:
			if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v, want %q", path, err, why)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: waited for", path)
		}
	}
}

// TestRubricOfAPipe: a rubric may come from a pipe, and nobody waits for one whose other end says
// nothing when the grading is called off.
func TestRubricOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(text string) *os.File {
		w, err := os.OpenFile(pipe, os.O_RDWR, 0) // which waits for no reader
		if err == nil {
			_, err = w.WriteString(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := write("[[size]]\nn = 7\npoints = 1\n")
	ctx, cancel := context.WithCancel(t.Context())
	ends := make(chan error)
	go func() {
		_, err := ReadRubric(ctx, pipe)
		ends <- err
	}()
	select {
	case err := <-ends:
		t.Fatalf("read while it was being written: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	cancel()
	if err := <-ends; !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	w.Close()
	go func() {
		if w, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil {
			w.WriteString("[[size]]\nn = 7\npoints = 1\n")
			w.Close()
		}
	}()
	if r, err := ReadRubric(t.Context(), pipe); err != nil || len(r.Sizes) != 1 || r.Sizes[0].N != 7 {
		t.Errorf("%+v, %v", r.Sizes, err)
	}
}

// TestNothingStays: a grading leaves no file behind.
func TestNothingStays(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	gradeFile(t, compile(t, "testdata/honest.c"), attackRubric)
	if left, err := filepath.Glob(os.Getenv("TMPDIR") + "/gpusort-grade-*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
