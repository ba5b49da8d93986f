package build

import (
	"slices"
	"testing"
)

// TestUsages: what ptxas says of functions that a kernel calls is not the kernel's.
func TestUsages(t *testing.T) {
	const report = `ptxas info    : Compiling entry function 'gs_a' for 'sm_90'
ptxas info    : Function properties for gs_a
    48 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 128 registers, used 1 barriers, 48 bytes cumulative stack size, 2112 bytes smem
ptxas info    : Function properties for _ZN2gs4partEv
    0 bytes stack frame, 24 bytes spill stores, 52 bytes spill loads
ptxas info    : Function properties for _ZN2gs4passEv
    8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'gs_b' for 'sm_90'
ptxas info    : Function properties for gs_b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, 372 bytes cmem[0]
`
	want := []Usage{
		{Kernel: "gs_a", Registers: 128, Shared: 2112, Stack: 48, SpillStore: 12, SpillLoad: 8, Called: 80},
		{Kernel: "gs_b", Registers: 40},
	}
	got := usages(report)
	if !slices.Equal(got, want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	if got[0].Spills() != 100 {
		t.Errorf("%d bytes spilled, want 100", got[0].Spills())
	}
}
