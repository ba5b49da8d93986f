package cluster

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"

	"github.com/gpusort/gpusort/cmd/tables"
	"github.com/gpusort/gpusort/rows"
)

// StreamSample reads an Arrow stream, the partition of a data frame with a number, and writes a sample
// of its rows.
func (h *Host) StreamSample(_ context.Context, o Order, partition, most int, in io.Reader, out io.Writer) error {
	o.Format = "arrows"
	s := Samples{Plan: Plan{Version: Version, Order: o}}
	t, err := tables.OpenStream(in, h.tableOptions(o))
	if err != nil {
		return FinalError{err}
	}
	if most <= 0 {
		most = DefaultSamples
	}
	r := rand.New(rand.NewPCG(uint64(partition), 1))
	n := int64(0)
	err = t.Keys(func(key []byte) {
		p := Sampled{Point{nil, partition, n}, 1}
		if n++; len(s.Samples) < most {
			p.Key = short(key)
			s.Samples = append(s.Samples, p)
		} else if i := r.Int64N(n); i < int64(most) {
			p.Key = short(key)
			s.Samples[i] = p
		}
	})
	if err != nil {
		return FinalError{err}
	}
	for i := range s.Samples {
		s.Samples[i].Bytes = max(1, n/int64(len(s.Samples)))
	}
	return json.NewEncoder(out).Encode(s)
}

// StreamRange copies an Arrow stream with a column more: the range of each row.
func (h *Host) StreamRange(ctx context.Context, o Order, splitters string, partition int, column string, in io.Reader, out io.Writer) error {
	s, err := h.splitters(ctx, splitters)
	if err != nil {
		return err
	}
	o.Format = "arrows"
	t, err := tables.OpenStream(in, h.tableOptions(o))
	if err != nil {
		return FinalError{err}
	}
	form, err := t.Form()
	if err != nil {
		return err
	}
	points, n := s.points(), int64(0)
	err = t.AddColumn(out, column, func(key []byte) int32 {
		n++
		return int32(form.Range(points, rows.Splitter{Key: key, File: partition, At: n - 1}))
	})
	if err != nil {
		return FinalError{err}
	}
	return nil
}

// StreamSort writes the rows of an Arrow stream in order.
func (h *Host) StreamSort(ctx context.Context, o Order, in io.Reader, out io.Writer) error {
	t, err := tables.OpenStream(in, h.tableOptions(o))
	if err != nil {
		return FinalError{err}
	}
	return t.Sort(ctx, out)
}
