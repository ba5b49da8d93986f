package suite

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// longItems is more 64-bit keys than radix-msd sorts at once: they go in runs. Of floats,
// which are encoded before, there are encodedItems.
const longItems, encodedItems = 1<<28 + 1<<26 + 5, 1<<29 + 3

// wideItems is an argsort of 64-bit keys that takes no runs; farItems is one of more than
// two runs, whose passes go in portions. beyondItems is more pairs of 32-bit keys than
// two splits take.
const wideItems, farItems, beyondItems = 1<<24 + 12345, 570_000_001, 1<<28 + 1<<25 + 7

// smoothItems are 64-bit keys of which a sample says that their upper digits do; apartItems
// so many pairs with values of 64 bits that passes go in launches of their own.
const smoothItems, apartItems = 1<<22 + 4099, 1<<25 + 1<<22 + 33

// TestPast32Bits sorts more than 2^32 keys, and more of 64 bits than radix-msd sorts at
// once, keys and argsorts, where the device's and the host's memory allow it. The host
// checks order and multiset on all processors.
func TestPast32Bits(t *testing.T) {
	defer func() { largeMemory = nil }()
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		n := uint64(1<<32 + 1<<20 + 3)
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) || !wanted(a.Name) {
				continue
			}
			for _, k := range []struct {
				dist string
				p    plan.Problem
			}{
				{"uniform", plan.Problem{Type: key.U8, Items: n}},
				{"uniform", plan.Problem{Type: key.U32, Items: n}},
				{"uniform", plan.Problem{Type: key.U64, Items: longItems}},
				// Onesweep takes these from radix-msd's runs: skew, in one portion, and no
				// disorder that a sample sees, in two.
				{"entropy-0.201", plan.Problem{Type: key.U64, Items: longItems}},
				{"one-different", plan.Problem{Type: key.F64, Items: encodedItems}},
				{"uniform", plan.Problem{Type: key.F64, Items: encodedItems}},
				{"uniform", plan.Problem{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Items: longItems}},
				// Passes over whole keys and their upper halves, with runs before them and without.
				{"entropy-0.201", plan.Problem{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Items: longItems}},
				{"entropy-0.544", plan.Problem{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Items: wideItems}},
				{"uniform", plan.Problem{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Items: farItems}},
				{"uniform", plan.Problem{Type: key.U32, Mode: plan.Argsort, ValueBytes: 4, Items: farItems}},
				{"uniform", plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: beyondItems}},
				{"random-p5", plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: beyondItems}},
				// One value with most of the keys, and others.
				{"random-p5", plan.Problem{Type: key.U32, Items: wideItems}},
				{"random-p5", plan.Problem{Type: key.F64, Items: smoothItems}},
				{"random-p5", plan.Problem{Type: key.U64, Items: longItems}},
				// Passes that leave out the lowest digits, and mending.
				{"normal", plan.Problem{Type: key.F64, Items: smoothItems}},
				{"normal", plan.Problem{Type: key.U64, Items: wideItems}},
				{"entropy-0.811", plan.Problem{Type: key.U64, Items: wideItems}},
				{"digit-runs", plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4, Items: smoothItems}},
				{"normal", plan.Problem{Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Items: wideItems}},
				{"normal", plan.Problem{Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Items: apartItems}},
				{"digit-runs", plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8, Items: apartItems}},
				{"normal", plan.Problem{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Items: wideItems}},
				{"normal", plan.Problem{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8, Items: smoothItems}},
			} {
				p := k.p
				id := fmt.Sprintf("%s/%s/%v/%v/n=%d/%s", a.Name, c.Backend, p.Type, p.Mode, p.Items, k.dist)
				if a.Study {
					skip(t, 1, id+": a sort to learn from, tested up to 2^20 keys")
					continue
				}
				if p.Items < 1<<32 && a.Name != "radix-msd" {
					skip(t, 1, id+": only radix-msd sorts so many in another way than fewer")
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
				need := p.KeyBytes() + p.ValuesBytes() + pl.ScratchBytes + 1<<30
				if c.GlobalBytes < need || c.MaxAllocBytes != 0 && c.MaxAllocBytes < max(p.KeyBytes()+p.ValuesBytes(), pl.ScratchBytes) {
					skip(t, 1, fmt.Sprintf("%s: %s has %d MiB of memory in buffers of %d, this needs %d", id, c.ID, c.GlobalBytes>>20, c.MaxAllocBytes>>20, need>>20))
					continue
				}
				if free, ok := mem.HostFree(); ok && free < hostBytes(p)+1<<30 {
					skip(t, 1, fmt.Sprintf("%s: the host has %d MiB free, this needs %d", id, free>>20, hostBytes(p)>>20))
					continue
				}
				e, err := engine.New(engine.Config{Device: c.ID, Algorithm: a.Name})
				if err == nil {
					switch {
					case p.Mode != plan.Keys && p.Type.Bits() == 32:
						err = largePlaces[uint32, uint32](e, p, k.dist)
					case p.Mode != plan.Keys && p.ValueBytes == 4:
						err = largePlaces[uint64, uint32](e, p, k.dist)
					case p.Mode != plan.Keys:
						err = largePlaces[uint64, uint64](e, p, k.dist)
					case p.Type == key.U8:
						err = large[uint8](e, p, k.dist)
					case p.Type == key.U32:
						err = large[uint32](e, p, k.dist)
					default:
						err = large[uint64](e, p, k.dist)
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
// touching it takes longer than sorting; largeInput are the digests of inputs, by type,
// number and distribution.
var (
	largeMemory []uint64
	largeInput  = map[string]verify.Digest{}
)

// hostBytes is what large needs of largeMemory: the keys; with places also those that
// come back, and the places.
func hostBytes(p plan.Problem) uint64 {
	if p.Mode != plan.Keys {
		return 2*p.KeyBytes() + p.ValuesBytes()
	}
	return p.KeyBytes()
}

// largeRoom is hostBytes(p) of largeMemory.
func largeRoom(p plan.Problem) []byte {
	if n := int(hostBytes(p)+7) / 8; len(largeMemory) < n {
		largeMemory = nil
		largeMemory = make([]uint64, n)
	}
	return asBytes(largeMemory)[:hostBytes(p)]
}

func large[U key.Word](e *engine.Engine, p plan.Problem, name string) error {
	x := words[U](largeRoom(p))
	dist.Fill(x, dist.Must(name), p.Type, seed)
	input := fmt.Sprint(p.Type, p.Items, name)
	want, ok := largeInput[input]
	if !ok {
		want = verify.Multiset(x)
		largeInput[input] = want
	}
	m, err := e.Alloc(p.KeyBytes())
	if err != nil {
		return err
	}
	defer m.Close()
	r := engine.Region{M: m, Bytes: p.KeyBytes()}
	ctx := context.Background()
	if err := r.Upload(ctx, unsafe.Pointer(unsafe.SliceData(x))); err != nil {
		return err
	}
	if _, err := e.Run(ctx, p, engine.Regions{r}); err != nil {
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

// largePlaces is large for an argsort, and for pairs whose values are their places. The upper half of the keys are those of the lower in reverse: each is
// there twice.
func largePlaces[U key.Word, V uint32 | uint64](e *engine.Engine, p plan.Problem, name string) error {
	memory, ctx := largeRoom(p), context.Background()
	x := words[U](memory[:p.KeyBytes()])
	back := words[U](memory[p.KeyBytes():][:p.KeyBytes()])
	places := words[V](memory[2*p.KeyBytes():])
	dist.Fill(x, dist.Must(name), p.Type, seed)
	for i := range x[:len(x)/2] {
		x[len(x)-1-i] = x[i]
	}
	for i := range places {
		places[i] = V(i)
	}
	m, err := e.Alloc(p.KeyBytes() + p.ValuesBytes() + plan.ScratchAlign)
	if err != nil {
		return err
	}
	defer m.Close()
	keys := engine.Region{M: m, Bytes: p.KeyBytes()}
	values := engine.Region{M: m, Off: (p.KeyBytes() + plan.ScratchAlign - 1) / plan.ScratchAlign * plan.ScratchAlign, Bytes: p.ValuesBytes()}
	if err := keys.Upload(ctx, unsafe.Pointer(unsafe.SliceData(x))); err != nil {
		return err
	}
	if err := values.Upload(ctx, unsafe.Pointer(unsafe.SliceData(places))); err != nil {
		return err
	}
	if _, err := e.Run(ctx, p, engine.Regions{keys, values}); err != nil {
		return err
	}
	if err := keys.Download(ctx, unsafe.Pointer(unsafe.SliceData(back))); err != nil {
		return err
	}
	if err := values.Download(ctx, unsafe.Pointer(unsafe.SliceData(places))); err != nil {
		return err
	}
	if err := verify.Argsort(x, places, p.Codec()); err != nil {
		return err
	}
	for i, place := range places {
		if p.Mode == plan.Argsort {
			place = V(i) // the keys stay
		}
		if back[i] != x[place] {
			return fmt.Errorf("key %d is %#x, want that of place %d, %#x", i, back[i], place, x[place])
		}
	}
	return nil
}
