package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// left are the strings that go on behind each plan of a sort, and their groups.
var left = [][2]uint64{{70, 9}, {41, 7}, {12, 5}, {0, 0}}

// handOver is an algorithm whose plans find what `left` says, and hand a mark over in the lists.
func handOver(kind op.Kind, fail int) algo.Algorithm {
	a := inMemory
	a.Name, a.Kind = kind.String(), kind
	a.Supports = func(plan.Problem, driver.Caps) error { return nil }
	a.Plan = func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
		b := plan.NewBuilder(a.Name, p)
		round := 0
		for kind == op.StringsNext && left[round][0] != p.Items {
			if round++; round == len(left) {
				return plan.Plan{}, fmt.Errorf("%d strings were asked for", p.Items)
			}
		}
		if kind == op.StringsNext {
			if p.Other != left[round][1] || p.All != 100 || p.Room != left[0][0] || p.Later != (round > 0) {
				return plan.Plan{}, fmt.Errorf("plan %d is of %+v", round, p)
			}
			round++
		}
		state := b.Scratch("state", plan.StatusBytes)
		b.Refuses(state, "refused with %d")
		uses := []plan.Use{{Ref: state, Bytes: plan.StatusBytes, Writes: true}}
		for i, e := range p.Extents() {
			if i > int(op.OtherIO) && e.Bytes != 0 {
				uses = append(uses, plan.Use{Ref: plan.Ref{Region: plan.Region(i)}, Bytes: e.Bytes, Reads: true, Writes: true})
			}
		}
		b.Host("round", "round", []uint64{uint64(round)}, uses...)
		return b.Plan(), nil
	}
	a.HostSteps = map[string]algo.HostStep{"round": func(r [][]byte, vals []uint64) error {
		round := int(vals[0])
		clear(r[0])
		binary.NativeEndian.PutUint64(r[0][8:], left[round][0]|left[round][1]<<32)
		if round == fail {
			r[0][0] = 1
		}
		last := r[len(r)-1]
		switch from := r[len(r)-2]; {
		case round == 0:
			r[1][0] = 3
		case round == 1 && r[1][0] != 3:
			return errors.New("the words are those of another plan")
		case round == 1:
		case from[0] != byte(round-1):
			return fmt.Errorf("plan %d finds the lists of %d", round, from[0])
		}
		if round > 0 {
			last[0] = byte(round)
		}
		return nil
	}}
	return a
}

// TestStrings: plans follow until no string is left, each with the lists of the one before it.
func TestStrings(t *testing.T) {
	for _, fail := range []int{-1, 0, 2} {
		e, err := fakeEngineOf(newFake(), 0, handOver(op.Strings, fail))
		if err != nil {
			t.Fatal(err)
		}
		e.cfg.Algorithms = append(e.cfg.Algorithms, handOver(op.StringsNext, fail))
		p := op.Spec{Kind: op.Strings, Type: key.U64, Mode: op.Argsort, Items: 100, ValueBytes: 4, Width: 4, Texts: op.Texts{Bytes: 1000}}
		var at Regions
		for i, x := range p.Extents() {
			if i > int(op.OtherIO) {
				break
			}
			m, err := e.Alloc(x.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			at[i] = Region{M: m, Bytes: x.Bytes}
		}
		for range 2 {
			r, err := e.Run(context.Background(), p, at)
			if fail < 0 && err != nil || fail >= 0 && !errors.Is(err, plan.ErrRefused) {
				t.Errorf("refusal in plan %d: %v", fail, err)
			}
			if r.Algorithm != op.Strings.String() {
				t.Errorf("the report names %q", r.Algorithm)
			}
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
