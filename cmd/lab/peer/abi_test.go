//go:build !nogpu && linux && !android && (amd64 || arm64)

package peer

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// compile builds a C source of testdata into a library, or skips the test.
func compile(t *testing.T, source string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		absent.Skip(t, "cc", "no C compiler on the PATH")
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c")+".so")
	b, err := exec.Command(cc, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-I../../../include", "-o", out, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return out
}

func TestStructSizes(t *testing.T) {
	// The library of testdata asserts the same numbers with _Static_assert.
	for _, c := range []struct{ got, want uintptr }{
		{unsafe.Sizeof(cSorter{}), 288}, {unsafe.Sizeof(cProblem{}), 32}, {unsafe.Sizeof(cBuffers{}), 64},
		{unsafe.Offsetof(cSorter{}.maxItems), 280}, {unsafe.Offsetof(cBuffers{}.result), 56},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
}

func TestInsertionSorter(t *testing.T) {
	_, list, err := Load(compile(t, "testdata/insertion.c"))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Name != "c-insertion" || list[0].Memory != Host || list[1].Name != "c-fails" {
		t.Fatalf("%+v", list)
	}
	s := list[0]
	p := Problem{Problem: plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: 6}}
	if n, err := s.TempBytes(p); err != nil || n != 24 {
		t.Errorf("temporary storage %d, %v", n, err)
	}
	k, v := []uint32{3, 1, 2, 1, 3, 0}, []uint32{0, 1, 2, 3, 4, 5}
	ka, va := make([]uint32, 6), make([]uint32, 6)
	alt, err := s.Sort(p, Buffers{Keys: addr(k), KeysAlt: addr(ka), Values: addr(v), ValuesAlt: addr(va)})
	runtime.KeepAlive([][]uint32{k, v, ka, va})
	if err != nil || !alt || !slices.Equal(ka, []uint32{0, 1, 1, 2, 3, 3}) || !slices.Equal(va, []uint32{5, 1, 3, 2, 0, 4}) {
		t.Errorf("alternate %v, %v: %v %v", alt, err, ka, va)
	}
	if _, err := list[1].Sort(p, Buffers{}); err == nil || !strings.Contains(err.Error(), "out of coffee") || !strings.Contains(err.Error(), "(code 7)") {
		t.Errorf("error %v", err)
	}
	p.Items = 1
	if _, err := list[1].Sort(p, Buffers{}); err == nil || !strings.Contains(err.Error(), ": no reason given (code 8)") {
		t.Errorf("error without a text: %v", err)
	}
}

// addr returns a slice's address; escape keeps the array on the heap.
func addr[T any](x []T) uintptr {
	escape = append(escape[:0:0], any(x))
	return uintptr(unsafe.Pointer(unsafe.SliceData(x)))
}

var escape []any

func TestLoadRefuses(t *testing.T) {
	notLib := filepath.Join(t.TempDir(), "x.so")
	if err := os.WriteFile(notLib, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{notLib, "x.so"},
		{compile(t, "testdata/oldabi.c"), "interface version 99"},
		{compile(t, "testdata/nofunctions.c"), "no function gpusort_peer_abi"},
	} {
		if _, _, err := Load(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

// TestBaselines sorts with every host sorter of the baseline library, if
// `make baselines` has built it.
func TestBaselines(t *testing.T) {
	path := filepath.Join("..", "..", "..", "build", "baselines", "libgpusort_baselines_cpu.so")
	if _, err := os.Stat(path); err != nil {
		absent.Skip(t, "baselines", "run `make baselines`")
	}
	abs, _ := filepath.Abs(path)
	_, list, err := Load(abs)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 {
		t.Errorf("%d sorters", len(list))
	}
	for _, s := range list {
		for _, desc := range []bool{false, true} {
			for _, n := range []int{0, 1, 2, 33, 1000, 4097} {
				sortsFloats(t, s, n, desc)
				if s.Modes&(1<<plan.Pairs) != 0 {
					sortsPairs(t, s, n, desc)
				}
			}
		}
	}
}

func sortsFloats(t *testing.T, s Sorter, n int, desc bool) {
	x := make([]float64, n+1)
	for i := range x {
		x[i] = math.Sin(float64(i * i))
	}
	x[n] = 42 // red zone
	want := slices.Sorted(slices.Values(x[:n]))
	if desc {
		slices.Reverse(want)
	}
	p := Problem{Problem: plan.Problem{Type: key.F64, Items: uint64(n), Order: key.Order{Desc: desc}}}
	if err := s.Supports(p.Problem); err != nil {
		t.Fatal(err)
	}
	alt, err := s.Sort(p, Buffers{Keys: addr(x)})
	runtime.KeepAlive(x)
	if err != nil || alt || !slices.Equal(x[:n], want) || x[n] != 42 {
		t.Errorf("%s: %d keys, desc %v: %v", s.Name, n, desc, err)
	}
}

func sortsPairs(t *testing.T, s Sorter, n int, desc bool) {
	k, v := make([]uint32, n), make([]uint64, n)
	for i := range k {
		k[i], v[i] = uint32(i*i%13), uint64(i)
	}
	p := Problem{Problem: plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 8, Items: uint64(n), Order: key.Order{Desc: desc}}}
	bytes, err := s.TempBytes(p)
	if err != nil {
		t.Fatal(err)
	}
	temp := make([]uint64, bytes/8+1)
	_, err = s.Sort(p, Buffers{Keys: addr(k), Values: addr(v), Temp: addr(temp), TempBytes: bytes})
	runtime.KeepAlive(temp)
	if err != nil {
		t.Fatal(err)
	}
	for i := range k {
		if k[i] != uint32(v[i]*v[i]%13) {
			t.Fatalf("%s: pair %d was torn", s.Name, i)
		}
		if i > 0 && (k[i] != k[i-1] && (k[i] < k[i-1]) != desc || k[i] == k[i-1] && v[i] < v[i-1]) {
			t.Fatalf("%s: position %d is out of order", s.Name, i)
		}
	}
}
