package segments

import (
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// offsetArgs are the arguments of a launch that reads the offsets.
func offsetArgs(p plan.Problem) []plan.Arg {
	return []plan.Arg{plan.At(plan.Ref{Region: op.OtherIO}), plan.Bool(p.Width == 8), plan.U64(p.Other), plan.U64(p.Items)}
}

func offsetBytes(p plan.Problem) uint64 { return (p.Other + 1) * uint64(p.Width) }

// memoryArgs are the arguments of a launch that moves keys or positions. Where longer segments
// are split, they have scratch memory; else none stands in its place.
func memoryArgs(b *plan.Builder, p plan.Problem, splits bool, none plan.Ref) []plan.Arg {
	keys, positions := [2]plan.Ref{none, none}, [2]plan.Ref{none, none}
	for i := range keys {
		if splits && (i == 0 || p.Mode == plan.Argsort) {
			keys[i] = b.Scratch("keys", p.KeyBytes())
		}
		if splits && p.Mode == plan.Argsort {
			positions[i] = b.Scratch("positions", 4*p.Items)
		}
	}
	result := plan.Ref{Region: plan.KeysIO} // keys alone: named, not used
	if p.Mode == plan.Argsort {
		result = plan.Ref{Region: plan.ValuesIO}
	}
	return []plan.Arg{
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(keys[0]), plan.At(keys[1]), plan.At(positions[0]), plan.At(positions[1]),
		plan.At(result), plan.U32(uint32(p.Codec())), plan.Bool(p.ValueBytes == 8),
	}
}

// shortWork is how many segments and, of an argsort, positions the launch for short segments
// writes at most, and the least bytes that it moves.
func shortWork(p plan.Problem) (work, moved uint64) {
	if p.Mode == plan.Argsort {
		return max(p.Other, p.Items), offsetBytes(p) + p.KeyBytes() + p.ValuesBytes()
	}
	return p.Other, offsetBytes(p) + 2*p.KeyBytes()
}
