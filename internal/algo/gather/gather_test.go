package gather

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var caps = kerneltest.Emulated("SM_90")

// TestEmulated runs the CUDA kernels on the host.
func TestEmulated(t *testing.T) {
	moved(t, caps, emulated(t))
}

// TestDevice gathers on every device that is here, a processor's also by groups as other devices have.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		moved(t, c, r.RunRegions)
		refused(t, c, r.RunRegions)
		if c.CPU {
			c.CPU, c.MaxThreadsPerBlock = false, 96
			moved(t, c, r.RunRegions)
			refused(t, c, r.RunRegions)
		}
	})
}

// runner runs a plan on regions at shifts and returns the scratch memory.
type runner func(plan.Plan, kerneltest.Regions, kerneltest.Shifts) []byte

func emulated(t *testing.T) runner {
	return kerneltest.Build(t, "gather", "SM_90").Together(t, 2)
}

// moved gathers items of every width of words and of widths between, at places of every type,
// whatever they are aligned to.
func moved(t *testing.T, c driver.Caps, run runner) {
	for _, width := range []int{1, 2, 3, 4, 8, 12, 16, 20, 32, 100} {
		for i, ty := range []key.Type{key.U8, key.I8, key.U16, key.I16, key.U32, key.I32, key.U64, key.I64} {
			length := min([]int{1, 120, 5000}[(i+width)%3], 1<<min(ty.Bits()-1, 30))
			n := []int{1, 1023, 4097, 0}[(i+width/2)%4]
			p := plan.Problem{Kind: op.Gather, Type: ty, Items: uint64(n), Other: uint64(length), Width: width}
			r := rand.New(rand.NewPCG(uint64(width), uint64(i)))
			places := make([]uint64, n)
			for j := range places {
				places[j] = uint64(r.IntN(length))
			}
			shifts := kerneltest.Shifts{uint64(ty.Bytes() * (i % 3)), uint64(width * (i % 2)), uint64(width * (i % 5))}
			if err := one(t, run, c, p, places, shifts, r); err != nil {
				t.Fatalf("%d bytes, %v, %d of %d: %v", width, ty, n, length, err)
			}
		}
	}
}

// one gathers and compares with a loop; for places outside, the result keeps what is there. It
// returns the refusal, if there is one.
func one(t *testing.T, run runner, c driver.Caps, p plan.Problem, places []uint64, shifts kerneltest.Shifts, r *rand.Rand) error {
	t.Helper()
	pl, err := Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	source, out := make([]byte, int(p.Other)*p.Width), bytes.Repeat([]byte{7}, len(places)*p.Width)
	for i := range source {
		source[i] = byte(r.Uint32())
	}
	want := bytes.Clone(out)
	for i, at := range places {
		negative := p.Type.Row().Kind == key.Signed && at>>(p.Type.Bits()-1) != 0
		if !negative && at < p.Other {
			copy(want[i*p.Width:(i+1)*p.Width], source[int(at)*p.Width:])
		}
	}
	scratch := run(pl, kerneltest.Regions{kerneltest.Pack(places, p.Type.Bytes()), source, out}, shifts)
	for i := range want {
		if out[i] != want[i] {
			t.Fatalf("%+v: byte %d of item %d is %d, want %d", p, i%p.Width, i/p.Width, out[i], want[i])
		}
	}
	if pl.Status == nil {
		return nil
	}
	record := scratch[pl.Status.At.Off:]
	return pl.Refusal(binary.NativeEndian.Uint32(record), binary.NativeEndian.Uint64(record[8:]))
}

// TestRefused: a place outside the source is told, and neither read nor written for.
func TestRefused(t *testing.T) {
	refused(t, caps, emulated(t))
}

func refused(t *testing.T, device driver.Caps, run runner) {
	for _, c := range []struct {
		t            key.Type
		other, place uint64
		want         string
	}{
		{key.U32, 100, 100, "place 100 is"}, {key.I32, 100, 1<<32 - 1, "place -1 is"}, {key.U64, 100, 1 << 63, "place 9223372036854775808 is"},
		{key.I64, 100, 1<<64 - 5, "place -5 is"}, {key.U8, 100, 255, "place 255 is"},
		// Negative, though there is a source's item at the place that the bits alone are.
		{key.I8, 300, 255, "place -1 is"}, {key.I16, 70000, 1<<16 - 1, "place -1 is"},
	} {
		p := plan.Problem{Kind: op.Gather, Type: c.t, Items: 50, Other: c.other, Width: 8}
		places := make([]uint64, 50)
		places[17] = c.place
		err := one(t, run, device, p, places, kerneltest.Shifts{}, rand.New(rand.NewPCG(1, c.place)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want … %s", c.t, err, c.want)
		}
	}
}
