package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/bits"
	"slices"

	"github.com/gpusort/gpusort/rows"
)

// CutOptions say into how many ranges to cut.
type CutOptions struct {
	Samples   []string // URLs
	Ranges    int      // 0: by RangeSize
	RangeSize int64    // bytes of input; 0: DefaultRange
}

// DefaultRange is the size of a range.
const DefaultRange = 1 << 30

// mostRanges bounds the ranges.
const mostRanges = 100_000

// Cut chooses splitters by samples, and writes them to a URL.
func (h *Host) Cut(ctx context.Context, o CutOptions, out string) (*Splitters, error) {
	s := &Splitters{}
	var all []Sampled
	for i, url := range o.Samples {
		var one Samples
		if _, err := h.loadFrom(ctx, url, &one); err != nil {
			return nil, err
		}
		if err := one.known(url); err != nil {
			return nil, err
		}
		if i == 0 {
			s.Plan = one.Plan
		} else if !sameJSON(s.Plan, one.Plan) {
			return nil, final("%s and %s are samples of different inputs or orders", o.Samples[0], url)
		}
		all = append(all, one.Samples...)
	}
	if len(o.Samples) == 0 {
		return nil, final("no sample is named")
	}
	compare, err := s.compare(h)
	if err != nil {
		return nil, err
	}
	if s.Ranges = o.Ranges; s.Ranges <= 0 {
		size := o.RangeSize
		if size <= 0 {
			size = DefaultRange
		}
		s.Ranges = int(min(mostRanges+1, max(1, (s.unpackedSize(all)+size-1)/size)))
	}
	if s.Ranges > mostRanges {
		return nil, final("%d ranges are too many: there may be %d", s.Ranges, mostRanges)
	}
	s.Splitters = choose(all, s.Ranges, compare)
	if len(s.Files) > 0 {
		s.Ext = s.Order.ext(s.Files[0].URL)
	}
	s.ID = s.hash()
	return s, h.saveTo(ctx, out, s)
}

// choose returns splitters by which the ranges have as many bytes each.
func choose(all []Sampled, ranges int, compare func(a, b rows.Splitter) int) []Point {
	slices.SortFunc(all, func(a, b Sampled) int { return compare(rows.Splitter(a.Point), rows.Splitter(b.Point)) })
	total := int64(0)
	for _, p := range all {
		total += max(1, p.Bytes)
	}
	points := make([]Point, 0, ranges-1)
	i, sum := 0, int64(0)
	for r := 1; r < ranges; r++ {
		want := share(total, int64(r), int64(ranges))
		for i < len(all) && sum < want {
			sum += max(1, all[i].Bytes)
			i++
		}
		var p Point
		switch {
		case i < len(all):
			p = all[i].Point
		case len(all) > 0:
			p = all[len(all)-1].Point
		}
		points = append(points, p)
	}
	return points
}

// share is n·i/of, for products beyond 64 bits.
func share(n, i, of int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(of))
	return int64(q)
}

// hash tells sorts apart.
func (s *Splitters) hash() string {
	t := *s
	t.ID = ""
	b, _ := json.Marshal(t)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
