package least

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	module  = "least"
	threads = layout.LeastThreads
	short   = layout.LeastShort
	digit   = layout.LeastDigitBits
	// minArch is the compute capability that the PTX is made for.
	minArch = 61
)

var backends = []string{"cuda", "opencl"}

func supports(p plan.Problem, c driver.Caps) error {
	if c.Backend != "cuda" {
		if p.Items > math.MaxUint32 {
			return algo.Unsupported("%v counts in 32 bits on %s: %d keys are more than %d",
				p.Kind, c.ID, p.Items, uint32(math.MaxUint32))
		}
		return nil
	}
	if c.Arch < minArch {
		return algo.Unsupported("%v needs compute capability %d.%d, %s has %d.%d",
			p.Kind, minArch/10, minArch%10, c.Name, c.Arch/10, c.Arch%10)
	}
	return nil
}

// level is a digit: bits [shift, shift + bits) of the encoded key or, if placed, of the position.
type level struct {
	shift, bits int
	placed      bool
}

// levels lists the digits of keys of keyBits bits from the top, and behind them those of
// positions of placeBits bits. Only the last digit of each is shorter than the others.
func levels(keyBits, placeBits int) (all []level) {
	for i, left := range []int{keyBits, placeBits} {
		for left > 0 {
			n := min(left, digit)
			left -= n
			all = append(all, level{left, n, i == 1})
		}
	}
	return all
}

// packed is the kernels' LeastLevel of level i; behind the last one there is one without bits.
func packed(all []level, i int) uint64 {
	var now, last level
	if i < len(all) {
		now = all[i]
	}
	if i > 0 {
		last = all[i-1]
	}
	word := uint64(now.shift) | uint64(now.bits)<<8 | uint64(last.shift)<<16 | uint64(last.bits)<<24
	if now.placed {
		word |= 1 << 32
	}
	if last.placed {
		word |= 1 << 40
	}
	return word
}

// search appends the launches that find the key of a rank. Keys that are first go to out, or
// their positions; if words, these below the encoded keys. Without out there is the key alone.
type search struct {
	b     *plan.Builder
	p     plan.Problem
	c     driver.Caps
	rank  uint64
	out   plan.Ref
	words bool
	state plan.Ref
	// list has room for some candidates: while there are more the keys are read again.
	list, places plan.Ref
	room         uint64
}

// run appends all of it: behind it out has the first keys or positions, in any order.
func (s *search) run() {
	s.b.Overlap(tune.SM90(s.c))
	s.state = s.b.Scratch("state", layout.LeastStateBytes) // OpenCL's takes less
	s.b.Memset("clear state", s.state, 0, layout.LeastStateBytes)
	if s.c.Backend == "cuda" {
		s.runCUDA()
	} else {
		s.runOpenCL()
	}
}

// runCUDA appends a launch for each digit, and the one that completes the first keys. The list
// takes a quarter of the keys.
func (s *search) runCUDA() {
	wide, placeBits, placeBytes := uint64(s.p.Type.Bytes()), 0, 0
	if s.p.Mode == plan.Argsort {
		placeBits, placeBytes = bits.Len64(s.p.Items-1), s.p.ValueBytes
		if s.words {
			placeBytes = 4
		}
	}
	if s.p.Items/4 > short && s.p.Type.Bits() > digit {
		s.room = s.p.Items / 4
	}
	s.list, s.places = s.b.Scratch("candidates", s.room*wide), s.b.Scratch("their positions", s.room*uint64(placeBytes))
	shorts := s.b.Scratch("few candidates", short*wide)
	shortPlaces := s.b.Scratch("their positions", short*uint64(placeBytes))
	all := levels(s.p.Type.Bits(), placeBits)
	if s.p.Items <= short {
		all = all[:1]
	}
	keys, n := plan.At(plan.Ref{Region: plan.KeysIO}), plan.U64(s.p.Items)
	codec, outArg := plan.U32(uint32(s.p.Codec())), plan.U64(0)
	if s.out != (plan.Ref{}) {
		outArg = plan.At(s.out)
	}
	for i := range all {
		bytes := s.p.KeyBytes()
		if i > 1 {
			bytes = 0 // a list of unknown length
		}
		s.launch(fmt.Sprintf("digit %d", i), kernel.Entry(module, "pass", s.p.Type.Bits(), placeBytes), s.p.Items, bytes,
			keys, n, plan.U64(s.rank), plan.At(s.list), plan.At(s.places), plan.U64(s.room),
			plan.At(shorts), plan.At(shortPlaces), outArg, plan.At(s.state), plan.U64(packed(all, i)), codec, plan.U32(uint32(placeBits)))
	}
	if s.out != (plan.Ref{}) && placeBytes == 0 {
		s.launch("gather", kernel.Entry(module, "gather", s.p.Type.Bits(), 0), s.p.Items, s.p.Other*wide,
			keys, n, plan.U64(s.p.Other), plan.At(s.list), outArg, plan.At(s.state), plan.U64(packed(all, len(all))), codec)
	}
	s.b.Passes(min(len(all), 2))
}

// launch appends a launch over so many items, for CUDA with a vector of keys for each thread at least.
func (s *search) launch(label string, k kernel.ID, items, minBytes uint64, args ...plan.Arg) {
	if s.c.Backend != "cuda" {
		s.b.Launch(label, k, s.groups(items), s.threads(), minBytes, args...)
		return
	}
	const vector = 16
	each := uint64(threads * vector / s.p.Type.Bytes())
	s.b.Launch(label, k, algo.Grid(s.c, items, each, layout.LeastBlocks), threads, minBytes, args...)
}

// stage is a kernel besides those of the search.
func (s *search) stage(id kernel.ID) kernel.ID {
	if s.c.Backend == "cuda" {
		return id
	}
	return s.variant(id)
}
