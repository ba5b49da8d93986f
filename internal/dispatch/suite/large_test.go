package suite

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/catalog"
	"github.com/gpusort/gpusort/internal/dispatch"
	"github.com/gpusort/gpusort/internal/dist"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/verify"
)

// longItems is more 64-bit keys than radix-msd sorts at once: it goes in runs.
const longItems = 1<<28 + 1<<26 + 5

// TestPast32Bits sorts more than 2^32 keys, and longItems of 64 bits, where the device's
// and the host's memory allow it. The host checks order and multiset on all processors.
func TestPast32Bits(t *testing.T) {
	defer func() { largeMemory = nil }()
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		n := uint64(1<<32 + 1<<20 + 3)
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) {
				continue
			}
			for _, p := range []plan.Problem{{Type: key.U8, Items: n}, {Type: key.U32, Items: n}, {Type: key.U64, Items: longItems}} {
				id := fmt.Sprintf("%s/%s/%v/keys/n=%d", a.Name, c.Backend, p.Type, p.Items)
				if a.Study {
					skip(t, 1, id+": a sort to learn from, tested up to 2^20 keys")
					continue
				}
				if !full(c) || os.Getenv("GPUSORT_SUITE") == "short" {
					skip(t, 1, id+": not in the short grid")
					continue
				}
				if err := a.Check(p, c); err != nil {
					skip(t, 1, id+": "+err.Error())
					continue
				}
				pl, err := a.Plan(p, c, algo.Params{})
				if err != nil {
					tally(t, id, err)
					continue
				}
				need := p.KeyBytes() + pl.ScratchBytes + 1<<30
				if c.GlobalBytes < need || c.MaxAllocBytes != 0 && c.MaxAllocBytes < max(p.KeyBytes(), pl.ScratchBytes) {
					skip(t, 1, fmt.Sprintf("%s: %s has %d MiB of memory in buffers of %d, this needs %d", id, c.ID, c.GlobalBytes>>20, c.MaxAllocBytes>>20, need>>20))
					continue
				}
				if free, ok := dispatch.HostFree(); ok && free < p.KeyBytes()+1<<30 {
					skip(t, 1, fmt.Sprintf("%s: the host has %d MiB free, this needs %d", id, free>>20, p.KeyBytes()>>20))
					continue
				}
				e, err := dispatch.New(dispatch.Config{Device: c.ID, Algorithm: a.Name})
				if err == nil {
					switch p.Type {
					case key.U8:
						err = large[uint8](e, p)
					case key.U32:
						err = large[uint32](e, p)
					default:
						err = large[uint64](e, p)
					}
					if cerr := e.Close(); err == nil {
						err = cerr
					}
				}
				tally(t, id, err)
			}
		}
	})
}

// largeMemory is the host side of large, kept from case to case because
// touching it takes longer than sorting; largeInput are the digests of inputs.
var (
	largeMemory []uint64
	largeInput  = map[key.Type]verify.Digest{}
)

func large[U key.Word](e *dispatch.Engine, p plan.Problem) error {
	if n := int(p.KeyBytes()+7) / 8; len(largeMemory) < n {
		largeMemory = nil
		largeMemory = make([]uint64, n)
	}
	x := words[U](asBytes(largeMemory))[:p.Items]
	dist.Fill(x, dist.Must("uniform"), p.Type, seed)
	want, ok := largeInput[p.Type]
	if !ok {
		want = verify.Multiset(x)
		largeInput[p.Type] = want
	}
	m, err := e.Alloc(p.KeyBytes())
	if err != nil {
		return err
	}
	defer m.Close()
	r := dispatch.Region{M: m, Bytes: p.KeyBytes()}
	ctx := context.Background()
	if err := r.Upload(ctx, unsafe.Pointer(unsafe.SliceData(x))); err != nil {
		return err
	}
	if _, err := e.SortRegions(ctx, p, r, dispatch.Region{}); err != nil {
		return err
	}
	if err := r.Download(ctx, unsafe.Pointer(unsafe.SliceData(x))); err != nil {
		return err
	}
	if i := verify.FirstDisorder(x, p.Codec()); i >= 0 {
		return fmt.Errorf("disorder at position %d", i)
	}
	if got := verify.Multiset(x); got != want {
		return fmt.Errorf("not the same keys: input has %v, output %v", want, got)
	}
	return nil
}
