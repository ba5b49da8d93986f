package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/experiment"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	_ "github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/kernel/variant"
)

const root = "../../.."

func catalogue() (names []string) {
	for _, a := range catalog.Algorithms() {
		names = append(names, a.Name)
	}
	return names
}

// compiler writes a stand-in for nvcc: it takes the row of 32-bit keys from the
// policy header that it finds first, refuses 1,024 threads, and says of 24 and
// more items that they spill. Its code is the row, and
// its layout that a pass takes as many bytes as a tile has items.
func compiler(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nvcc")
	script := `#!/bin/sh
if [ "$1" = --version ]; then echo "a stand-in"; echo "stand-in 1.0"; exit; fi
header= words=
while [ $# -gt 0 ]; do
	case $1 in
	-o) out=$2; shift ;;
	-ptx) words=yes ;;
	-I) [ -n "$header" ] || [ ! -f "$2/policy/zonesweep.cuh" ] || header=$2/policy/zonesweep.cuh; shift ;;
	esac
	file=$1
	shift
done
row=$(grep -m1 'X(32, 0, keys' "$header") || exit 3
set -- $(echo "$row" | tr -cd '0-9 ')
threads=$3 items=$4
if [ "$threads" = 1024 ]; then echo "$file(7): error: static assertion failed: too many threads"; exit 2; fi
if [ "$words" ]; then echo ".global .align 4 .u32 gs_shared_onesweep_pass_32_keys = $((threads * items));" >"$out"; exit; fi
spill=0
[ "$items" -lt 24 ] || spill=$((items - 20))
say() {
	echo "ptxas info    : Compiling entry function '$1' for 'sm_90'"
	echo "ptxas info    : Function properties for $1"
	echo "    0 bytes stack frame, $2 bytes spill stores, $2 bytes spill loads"
	echo "ptxas info    : Used $3 registers, used 1 barriers"
}
say gs_onesweep_pass_32_keys $spill $((40 + items))
say gs_onesweep_small_32_keys 0 63
say gs_onesweep_pass_64_keys 8 80
echo "$row" >"$out"
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// grid4 runs 'tune build' of onesweep's 32-bit keys with the stand-in.
func grid4(t *testing.T, dir string, more ...string) string {
	t.Helper()
	var out strings.Builder
	args := append([]string{"-algo", "onesweep", "-set", "threads=448,1024", "-set", "items=16,24", "-root", root, "-nvcc", compiler(t), "-o", dir}, more...)
	if err := buildCommand(args, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func find(t *testing.T, s *store, name string) entry {
	t.Helper()
	for _, e := range s.Entries {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no entry %s", name)
	return entry{}
}

func TestBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "variants")
	out := grid4(t, dir)
	s, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Entries) != 5 {
		t.Fatalf("%d entries, want 4 of the grid and the committed row\n%s", len(s.Entries), out)
	}
	good := find(t, s, "onesweep-32-keys-threads448-items16")
	if good.Reason != "" || good.Committed || good.Compiler != "stand-in 1.0" || len(good.Flags) == 0 || good.SourceHash == "" || good.Date == "" ||
		good.Command != "tune build -algo onesweep -key 32 -value 0 -set threads=448,1024 -set items=16,24" {
		t.Errorf("%+v", good)
	}
	if len(good.Kernels) != 2 || figures(good, []string{"gs_onesweep_pass_32_keys"}, registers) != "pass 56" {
		t.Errorf("kernels of the row: %+v", good.Kernels)
	}
	v, err := variant.Load(filepath.Join(dir, good.Name))
	if err != nil {
		t.Fatal(err)
	}
	if n := v.Shared["gs_onesweep_pass_32_keys"]; n != 448*16 {
		t.Errorf("the variant says that a pass takes %d bytes of shared memory", n)
	}
	if v.Values[0] != 448 || v.Values[1] != 16 || !strings.Contains(string(v.Code), "X(32, 0, keys, 448, 16,") {
		t.Errorf("%+v, code %q", v.Info, v.Code)
	}
	if e := find(t, s, "onesweep-32-keys-threads448-items24"); e.Reason != "spills: gs_onesweep_pass_32_keys 8 bytes" {
		t.Errorf("the variant that spills: %q", e.Reason)
	}
	if e := find(t, s, "onesweep-32-keys-threads1024-items16"); !strings.HasPrefix(e.Reason, "does not compile: onesweep.cu(7): error: static assertion failed") {
		t.Errorf("the variant that does not compile: %q", e.Reason)
	}
	// The committed row spills with this compiler, too, and is kept all the same.
	committed := 0
	for _, e := range s.Entries {
		if e.Committed {
			committed++
			if e.Reason != "" || len(e.Kernels) == 0 {
				t.Errorf("the committed row: %+v", e)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, e.Name)); (err == nil) != (e.Reason == "") {
			t.Errorf("%s: reason %q, folder: %v", e.Name, e.Reason, err)
		}
	}
	if committed != 1 {
		t.Errorf("%d committed rows", committed)
	}
	runs, err := os.ReadFile(filepath.Join(dir, "runs.txt"))
	if err != nil || strings.Count(string(runs), "\n") != 2 || !strings.Contains(string(runs), good.Name+" onesweep-32-keys onesweep\n") {
		t.Errorf("runs.txt: %q, %v", runs, err)
	}
	f, err := experiment.Read(filepath.Join(dir, "onesweep-32-keys.toml"))
	if err != nil || len(f.Run) != 1 || len(f.Small) != 1 {
		t.Errorf("experiment: %+v, %v", f, err)
	}
	if !strings.Contains(out, "2 of 5 variants") || !strings.Contains(out, "another compiler") {
		t.Errorf("printed:\n%s", out)
	}
}

// TestBuildAgain: with -spills one more is kept, and another grid joins the folder.
func TestBuildAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "variants")
	grid4(t, dir)
	grid4(t, dir, "-spills")
	s, err := openStore(dir)
	if err != nil || len(s.Entries) != 5 {
		t.Fatalf("%d entries, %v", len(s.Entries), err)
	}
	if e := find(t, s, "onesweep-32-keys-threads448-items24"); e.Reason != "" {
		t.Errorf("-spills: %q", e.Reason)
	}
	var out strings.Builder
	if err := buildCommand([]string{"-algo", "onesweep", "-set", "window=2", "-root", root, "-nvcc", compiler(t), "-o", dir}, &out); err != nil {
		t.Fatal(err)
	}
	if s, err = openStore(dir); err != nil || len(s.Entries) != 7 {
		t.Errorf("%d entries after another grid, %v", len(s.Entries), err)
	}
	s.Entries[0].SourceHash = "other"
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	err = buildCommand([]string{"-algo", "onesweep", "-set", "window=2", "-root", root, "-nvcc", compiler(t), "-o", dir}, &out)
	if err == nil || !strings.Contains(err.Error(), "other sources") {
		t.Errorf("a folder of other sources: %v", err)
	}
}

func TestBuildRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"", "at least one -set"},
		{"-algo bitonic -set threads=1", "no algorithm of the catalogue with CUDA policies"},
		{"-algo radix-msd -key 16 -set mean=1", "has no row"},
		{"-algo onesweep -set width=1", "no such parameter"},
		{"-algo onesweep -set threads=256 -axis Elements", "NAME=VALUE"},
		{"-algo onesweep -set threads=256 extra", "usage"},
	} {
		args := append(strings.Fields(c.args), "-root", root, "-nvcc", compiler(t), "-o", filepath.Join(dir, "v"))
		if err := buildCommand(args, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
