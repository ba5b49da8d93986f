package cpu

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// Select permutes x so that x[k] is the key that Keys would put there, none before it
// comes behind it in the order of c, and none behind it before. It takes scratch of
// fixed size a worker; keys of 8 and 16 bits are sorted. The error is that of o.Ctx; x
// then holds a permutation of its keys.
func Select[U key.Word](x []U, k int, c key.Codec, o Options) error {
	return selectAt(unsafe.Pointer(unsafe.SliceData(x)), int(unsafe.Sizeof(U(0))), len(x), k, c, o)
}

// selectAt is Select from n keys of so many bytes.
//
//go:noinline
func selectAt(x unsafe.Pointer, bytes, n, k int, c key.Codec, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	c &^= key.CodecEqualZeros
	switch bytes {
	case 4:
		return selectWide(unsafe.Slice((*uint32)(x), n), k, c, o)
	case 8:
		return selectWide(unsafe.Slice((*uint64)(x), n), k, c, o)
	}
	return keysAt(x, bytes, n, c, o)
}

const (
	// selectMin is the length from which a range is divided, not sorted.
	selectMin = 4096
	// selectRounds is how many divisions by samples may fail to end the search: then
	// the middle of the values divides, as often as a word has bits at most.
	selectRounds = 24
)

func selectWide[U wide](x []U, k int, c key.Codec, o Options) error {
	s := selection[U]{k: k, exact: key.MapOf[U](c)}
	s.run, s.x = runOf(o, len(x)), x
	if simd.Available() {
		s.codec = looseCodec[U](c)
		s.choose()
		if !isFloat(c) || s.cancelled() || !newFloatMap[U](c).isNaN(x[k]) {
			return s.end()
		}
		// The loose order of NaNs is another.
	}
	s.codec = vectorCodec[U](c)
	s.choose()
	return s.end()
}

// selection looks for the k-th of x in the order of codec.
type selection[U wide] struct {
	vectorJob[U]
	k     int
	exact key.Map[U] // the exact map, for divisions without vector instructions
}

// choose divides the range of x that holds the k-th, until it is short.
func (s *selection[U]) choose() {
	g := segment[U]{hi: len(s.x), max: ^U(0)}
	for round := 0; g.len() > selectMin && g.min < g.max && !s.cancelled(); round++ {
		p := g.min + (g.max-g.min)/2 + 1
		if round < selectRounds {
			p = s.near(g)
		}
		alike := p == g.min // the keys equal to it are then many
		if alike {
			p++
		}
		m, ok := s.divideAt(g, p)
		switch {
		case !ok:
			return
		case s.k >= g.lo+m:
			g.lo, g.min = g.lo+m, p
		case alike:
			return
		default:
			g.hi, g.max = g.lo+m, p-1
		}
	}
	if g.min < g.max && !s.cancelled() {
		x := s.x[g.lo:g.hi]
		s.codec.Encode(x)
		// Without a context it cannot fail.
		_ = Keys(x, key.CodecUnsigned, Options{Workers: 1})
		s.codec.Decode(x)
	}
}

// near returns a key of g a little to the side of the k-th on which more keys are.
func (s *selection[U]) near(g segment[U]) U {
	var d [parallelDraw]U
	seed, step := rand.Uint64(), uint(g.len())/uint(len(d))
	for i := range d {
		seed = seed*0xd1342543de82ef95 + 0x9e3779b97f4a7c15
		off, _ := bits.Mul(uint(seed), step)
		d[i] = s.x[uint(g.lo)+uint(i)*step+off]
	}
	s.codec.Encode(d[:])
	_ = Keys(d[:], key.CodecUnsigned, Options{Workers: 1})
	q := float64(s.k-g.lo) / float64(g.len())
	// Two and a half standard deviations of the k-th's place among so many.
	gap := 2.5*math.Sqrt(float64(len(d))*q*(1-q)) + 1
	if q > 0.5 {
		gap = -gap
	}
	return d[max(0, min(len(d)-1, int(q*float64(len(d))+gap)))]
}

// divideAt moves the keys of g whose encoded keys are below p to its front and returns how
// many they are. It returns false if the sort is cancelled.
func (s *selection[U]) divideAt(g segment[U], p U) (below int, ok bool) {
	x := s.x[g.lo:g.hi]
	if simd.Available() {
		raw := s.codec != simd.Codec[U]{}
		return s.partition(x, p, codedAs{raw, raw}, min(s.workers, max(1, len(x)*int(unsafe.Sizeof(p))/shareBytes)))
	}
	ok = s.inSteps(len(x), int(unsafe.Sizeof(p)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			u, is := x[i], 0
			if s.exact.Of(u) < p {
				is = 1
			}
			x[i], x[below] = x[below], u
			below += is
		}
	})
	return below, ok
}
