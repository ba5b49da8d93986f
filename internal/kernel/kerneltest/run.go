package kerneltest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/plan"
)

const (
	guard    = 4096 // bytes of red zone around every buffer
	redValue = 0xe9
)

// region is a buffer in the emulator's memory.
type region struct{ at, bytes uint64 }

// Run runs pl. keys and values (nil: none) are the caller's buffers, which it
// replaces by the result; keysShift and valuesShift are their distances in bytes
// from an aligned address. It returns the scratch memory. A write outside the
// three fails the test. together(symbol) is how many blocks of a launch run at
// once, 1 to 16.
// The blocks of a cooperative launch always run together.
func (e Emulator) Run(t *testing.T, pl plan.Plan, keys, values []byte, keysShift, valuesShift uint64, together func(symbol string) int) (scratch []byte) {
	t.Helper()
	scratch, _ = e.RunCounting(t, pl, keys, values, keysShift, valuesShift, together)
	return scratch
}

// RunCounting is Run, and returns besides how many barriers of all of its blocks each launch
// has held: they tell which way a sort went.
func (e Emulator) RunCounting(t *testing.T, pl plan.Plan, keys, values []byte, keysShift, valuesShift uint64, together func(symbol string) int) (scratch []byte, barriers []int) {
	t.Helper()
	return e.RunRegions(t, pl, Regions{plan.KeysIO: keys, plan.ValuesIO: values}, Shifts{plan.KeysIO: keysShift, plan.ValuesIO: valuesShift}, together)
}

// Regions are the caller's buffers of an operation, Shifts the distances in bytes at which
// they begin behind an aligned address.
type (
	Regions [plan.Scratch][]byte
	Shifts  [plan.Scratch]uint64
)

// RunRegions is RunCounting for an operation with any regions.
func (e Emulator) RunRegions(t *testing.T, pl plan.Plan, data Regions, shifts Shifts, together func(symbol string) int) (scratch []byte, barriers []int) {
	t.Helper()
	end := uint64(guard)
	lay := func(bytes, shift uint64) region {
		r := region{(end+511)/512*512 + shift, bytes}
		end = r.at + bytes + guard
		return r
	}
	var regions [plan.MostRegions]region
	for i, d := range data {
		regions[i] = lay(uint64(len(d)), shifts[i])
	}
	regions[plan.Scratch] = lay(pl.ScratchBytes, 0)
	memory := make([]byte, end)
	paint(memory)
	for i, d := range data {
		copy(memory[regions[i].at:], d)
	}

	var text strings.Builder
	for _, s := range pl.Steps {
		if s.Op == plan.OpMemset {
			fmt.Fprintf(&text, "set %d %d %d\n", regions[s.Dst.Region].at+s.Dst.Off, s.Bytes, s.Pattern)
			continue
		}
		if s.Op == plan.OpSkip { // what it may leave out must do nothing
			continue
		}
		if s.Op == plan.OpCopy {
			fmt.Fprintf(&text, "copy %d %d %d\n", regions[s.Dst.Region].at+s.Dst.Off, regions[s.Src.Region].at+s.Src.Off, s.Bytes)
			continue
		}
		blocks := uint32(together(s.Kernel.Symbol))
		if s.Cooperative {
			blocks = s.Grid[0]
		}
		fmt.Fprintf(&text, "run %s %d %dx%d %d %d", s.Kernel.Symbol, blocks, s.Grid[0], max(s.Grid[1], 1), s.Block[0], s.SharedBytes)
		for _, a := range s.Args {
			if a.IsRef {
				fmt.Fprintf(&text, " @%d", regions[a.Ref.Region].at+a.Ref.Off)
			} else {
				fmt.Fprintf(&text, " %d", a.Val)
			}
		}
		text.WriteString("\n")
	}
	dir := t.TempDir()
	steps, file := filepath.Join(dir, "plan"), filepath.Join(dir, "memory")
	if err := os.WriteFile(steps, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, memory, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(string(e), steps, file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range strings.Fields(string(out)) {
		held, err := strconv.Atoi(line)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		barriers = append(barriers, held)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := func(r plan.Region) []byte { return got[regions[r].at:][:regions[r].bytes] }
	for i, d := range data {
		copy(d, part(plan.Region(i)))
	}
	scratch = append(scratch, part(plan.Scratch)...)
	// What is left once they are painted over must be red.
	for r := range regions {
		paint(part(plan.Region(r)))
	}
	if i := slices.IndexFunc(got, func(b byte) bool { return b != redValue }); i >= 0 {
		t.Fatalf("byte %d was written: the buffers are %+v", i, regions)
	}
	return scratch, barriers
}

// Together is RunRegions with so many blocks of a launch at once, called as a Runner's.
func (e Emulator) Together(t *testing.T, blocks int) func(plan.Plan, Regions, Shifts) []byte {
	return func(pl plan.Plan, data Regions, shifts Shifts) []byte {
		scratch, _ := e.RunRegions(t, pl, data, shifts, func(string) int { return blocks })
		return scratch
	}
}

// paint makes b red.
func paint(b []byte) {
	for i := range b {
		b[i] = redValue
	}
}
