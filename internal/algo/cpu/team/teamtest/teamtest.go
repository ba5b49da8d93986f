// Package teamtest tests sorts of slices by a team of workers.
package teamtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// Sorts are the three entries of a stable sort for keys of one width.
type Sorts[U key.Word] struct {
	Keys    func(x []U, c key.Codec, o team.Options) error
	Pairs   func(k []U, v []uint64, c key.Codec, o team.Options) error
	Argsort func(k []U, idx []uint32, c key.Codec, o team.Options) error
}

// Width sorts sizes on both sides of what one worker and one bucket take, with
// all bits, few bits and one bucket that holds nearly everything.
func Width[U key.Word](s Sorts[U]) func(t *testing.T) {
	return func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, uint64(unsafe.Sizeof(U(0)))))
		codecs := []key.Codec{0, 1, 4, 5}
		if unsafe.Sizeof(U(0)) >= 4 {
			codecs = append(codecs, 2, 3, 6, 7)
		}
		for _, n := range []int{0, 1, 2, 3, 32, 33, 257, 5000, 70_001} {
			for i, mask := range []uint64{^uint64(0), 0x0300_0100_0f00_0103, 0, 0x8080_8080_8080_8080} {
				in := make([]U, n)
				for k := range in {
					in[k] = U(r.Uint64() & mask)
					if mask == ^uint64(0) && k%50 != 0 {
						in[k] >>= unsafe.Sizeof(U(0)) * 4 // most in one bucket
					}
				}
				for _, workers := range []int{1, 3} {
					c := codecs[(n+i+workers)%len(codecs)]
					t.Run(fmt.Sprintf("n=%d/%x/workers=%d/codec=%d", n, mask, workers, c), func(t *testing.T) {
						s.check(t, in, c, team.Options{Workers: workers, Ctx: context.Background()})
					})
				}
			}
		}
	}
}

func (s Sorts[U]) check(t *testing.T, in []U, c key.Codec, o team.Options) {
	x := slices.Clone(in)
	if err := s.Keys(x, c, o); err != nil {
		t.Error(err)
	}
	if err := verify.Keys(in, x, c); err != nil {
		t.Errorf("keys: %v", err)
	}
	x, v := slices.Clone(in), make([]uint64, len(in))
	for i := range v {
		v[i] = uint64(i)
	}
	if err := s.Pairs(x, v, c, o); err != nil {
		t.Error(err)
	}
	if err := verify.Pairs(in, x, v, c); err != nil {
		t.Errorf("pairs: %v", err)
	}
	x, idx := slices.Clone(in), make([]uint32, len(in))
	if err := s.Argsort(x, idx, c, o); err != nil || !slices.Equal(x, in) {
		t.Errorf("argsort: %v, or the keys were written", err)
	}
	if err := verify.Argsort(in, idx, c); err != nil {
		t.Errorf("argsort: %v", err)
	}
}

// counted is a context that is cancelled at the n-th look at it.
type counted struct {
	context.Context
	left *int
}

func (c counted) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Cancelled cancels at every look at the context: pairs are permuted and still
// together.
func Cancelled(t *testing.T, pairs func(k, v []uint32, c key.Codec, o team.Options) error) {
	r := rand.New(rand.NewPCG(2, 2))
	in := make([]uint32, 30_000)
	for i := range in {
		in[i] = r.Uint32() & 0x7f000fff
	}
	for looks := 0; ; looks++ {
		left := looks
		k, v := slices.Clone(in), make([]uint32, len(in))
		for i := range v {
			v[i] = uint32(i)
		}
		err := pairs(k, v, key.CodecSigned, team.Options{Workers: 1, Ctx: counted{context.Background(), &left}})
		seen := make([]bool, len(in))
		for i, at := range v {
			if seen[at] || k[i] != in[at] {
				t.Fatalf("%d looks: pair %d is not the input's", looks, i)
			}
			seen[at] = true
		}
		if err == nil {
			if looks < 3 {
				t.Errorf("the context was looked at %d times", looks)
			}
			return
		}
	}
}
