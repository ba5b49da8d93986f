package plan_test

import (
	"reflect"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmbed: all places of the inner plan are moved, labels told apart, and the inner
// plan stays as it was.
func TestEmbed(t *testing.T) {
	b := plan.NewBuilder("inner", plan.Problem{Items: 7})
	room := b.Scratch("room", 100)
	keys := plan.Ref{Region: plan.KeysIO}
	b.Memset("clear", room, 0, 4)
	b.Launch("sort", kernel.Plain("m", "k"), 3, 32, 64, plan.At(keys), plan.U32(5), plan.At(room.Add(8)))
	b.SkipIfZero("skip", room.Add(4), func() { b.Copy("copy", keys.Add(16), room.Add(32), 8) })
	inner := b.Plan()

	outer := plan.NewBuilder("outer", plan.Problem{Items: 14})
	outer.Reserve("inner", 1000+inner.ScratchBytes)
	outer.Reserve("inner", 8) // is there already
	outer.Embed("run 2", inner, func(r plan.Ref) plan.Ref { return r.Add(1000) })
	got := outer.Plan()

	if got.ScratchBytes != 1100 || len(got.Parts) != 1 {
		t.Errorf("%d bytes of scratch in %v, want 1100 in one part", got.ScratchBytes, got.Parts)
	}
	if len(got.Steps) != 4 {
		t.Fatalf("%d steps, want 4", len(got.Steps))
	}
	clear, launch, skip, move := got.Steps[0], got.Steps[1], got.Steps[2], got.Steps[3]
	if clear.Dst != room.Add(1000) || clear.Label != "run 2: clear" {
		t.Errorf("memset: %+v", clear)
	}
	want := []plan.Arg{plan.At(keys.Add(1000)), plan.U32(5), plan.At(room.Add(1008))}
	if !reflect.DeepEqual(launch.Args, want) || launch.MinBytes != 64 {
		t.Errorf("launch: %+v, want arguments %+v", launch, want)
	}
	if skip.Skip != 1 || skip.Uses[0].Ref != room.Add(1004) || !got.HasHostSteps() {
		t.Errorf("skip: %+v", skip)
	}
	if move.Dst != keys.Add(1016) || move.Src != room.Add(1032) {
		t.Errorf("copy: %+v", move)
	}
	if !reflect.DeepEqual(inner.Steps[1].Args[0], plan.At(keys)) || inner.Steps[2].Uses[0].Ref != room.Add(4) {
		t.Error("the inner plan was changed")
	}
}
