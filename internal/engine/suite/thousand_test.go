package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestThousandRepeats sorts one input a thousand times by every algorithm that
// is chosen by itself, while another engine keeps the device busy. The first
// output is checked, all others must have its bits; red zones are compared too.
func TestThousandRepeats(t *testing.T) {
	eachDevice(t, func(t *testing.T, c driver.Caps) {
		repeats, n := 5, uint64(20011)
		if full(c) {
			repeats, n = 1000, 300007
		}
		done := make(chan struct{})
		other := make(chan error, 1)
		busy := open(t, c.ID, "")
		go func() { other <- keepBusy(busy, n, done) }()
		for _, a := range catalog.Algorithms() {
			if !slices.Contains(a.Backends, c.Backend) || a.Study {
				continue
			}
			e := open(t, c.ID, a.Name)
			for _, tc := range []testCase{
				{dist: mustDist("few-distinct"), p: plan.Problem{Type: key.U32, Mode: plan.Keys}},
				{dist: mustDist("entropy-0.201"), p: plan.Problem{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8}},
				{dist: mustDist("uniform"), p: plan.Problem{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4}},
			} {
				tc.algorithm, tc.backend, tc.shift = a.Name, c.Backend, 1
				if err := repeatable(a, &tc, c, n); err != nil {
					skip(t, repeats, a.Name+" on "+c.ID+": "+err.Error())
					continue
				}
				sameBits(t, e, tc, repeats)
			}
		}
		close(done)
		tally(t, c.ID+": the other work", <-other)
	})
}

// repeatable gives a case about n items, or as many as the algorithm takes.
func repeatable(a algo.Algorithm, tc *testCase, c driver.Caps, n uint64) error {
	if tc.p.Items = n; a.Check(tc.p, c) == nil {
		return nil
	}
	for tc.p.Items > 500 {
		if tc.p.Items /= 4; a.Check(tc.p, c) == nil {
			return nil
		}
	}
	tc.p.Items = least(a, tc.p, c) + 12345
	return a.Check(tc.p, c)
}

// sameBits sorts a case so many times in the same memory.
func sameBits(t *testing.T, r *rig, tc testCase, repeats int) {
	in := newInput(tc)
	defer in.free()
	keys, err := newZoned(r, tc.p.Items, uint64(tc.p.Type.Bytes()), tc.shift)
	if err != nil {
		t.Fatal(err)
	}
	defer keys.free()
	values := &zoned{}
	if tc.p.Mode != plan.Keys {
		if values, err = newZoned(r, tc.p.Items, uint64(tc.p.ValueBytes), tc.shift); err != nil {
			t.Fatal(err)
		}
		defer values.free()
	}
	var first [2][]byte
	for i := range repeats {
		err := once(r, tc, in, keys, values)
		if err == nil && i == 0 {
			if err = judge(tc, in.keys, keys.data(), valuesOf(values)); err == nil {
				first = [2][]byte{bytes.Clone(keys.host), bytes.Clone(values.host)}
			}
		} else if err == nil && (!bytes.Equal(first[0], keys.host) || !bytes.Equal(first[1], values.host)) {
			err = errors.New("other bits than the first time")
		}
		tally(t, fmt.Sprintf("%v/repeat=%d", tc, i), err)
		if err != nil {
			return
		}
	}
}

func junk(b []byte) {
	for i := range b {
		b[i] = 0xd3
	}
}

// once uploads the input anew, sorts and downloads. values has no memory where
// keys are sorted alone.
func once(r *rig, tc testCase, in input, keys, values *zoned) error {
	copy(keys.data(), in.keys)
	if err := keys.upload(); err != nil {
		return err
	}
	if values.m != nil {
		if tc.p.Mode == plan.Pairs {
			positions(values.data(), tc.p.ValueBytes)
		} else { // output only: what an earlier sort left must not pass for this one's
			junk(values.data())
		}
		if err := values.upload(); err != nil {
			return err
		}
	}
	if _, err := r.Run(context.Background(), tc.p, engine.Regions{keys.r, values.r}); err != nil {
		return err
	}
	if err := keys.download(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if values.m == nil {
		return nil
	}
	if err := values.download(); err != nil {
		return fmt.Errorf("values: %w", err)
	}
	return nil
}

func valuesOf(z *zoned) []byte {
	if z.m == nil {
		return nil
	}
	return z.data()
}

// keepBusy sorts on r until done is closed, and checks every sixteenth output.
func keepBusy(r *rig, n uint64, done <-chan struct{}) error {
	tc := testCase{dist: mustDist("uniform"), p: plan.Problem{Type: key.U64, Mode: plan.Keys, Items: n}}
	in := newInput(tc)
	defer in.free()
	keys, err := newZoned(r, n, 8, 0)
	if err != nil {
		return err
	}
	defer keys.free()
	for i := 0; ; i++ {
		select {
		case <-done:
			return nil
		default:
		}
		if err := once(r, tc, in, keys, &zoned{}); err != nil {
			return err
		}
		if i%16 == 0 {
			if err := judge(tc, in.keys, keys.data(), nil); err != nil {
				return err
			}
		}
	}
}
