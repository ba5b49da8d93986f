package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// scanned is what one pass over a source found.
type scanned struct {
	File  string `json:"file"`
	Type  string `json:"type"`
	Items uint64 `json:"items"`
	// Disorder is the first position, from 0, whose key belongs before its
	// predecessor; −1 if there is none.
	Disorder int64  `json:"disorder"`
	Before   string `json:"before,omitempty"` // the key before that position
	At       string `json:"at,omitempty"`     // the key at it

	lane   int             // in which the disorder is
	lanes  []verify.Digest // of each; nil for one sequence
	digest verify.Digest
	text   bool
	t      key.Type
}

// scan reads a source once, with little memory unless it is text or has lanes.
func scan(ctx context.Context, src *format.Source, l *format.Lanes, o key.Order, p *progress) (r scanned, err error) {
	if l != nil {
		return scanLanes(ctx, src, l, o, p)
	}
	st := verify.NewStream(src.Item.Type, o)
	moved := p.phase("reading", src.Size())
	if src.Kind == format.Text {
		col, err := src.Load(ctx, moved)
		if err != nil {
			return r, err
		}
		st.Keys(col.Data)
	} else if err := st.Reader(&counted{ctx, src.Reader(), moved}); err != nil {
		return r, fmt.Errorf("%s: %w", src.Name, err)
	}
	r = scanned{File: src.Name, Type: src.Item.String(), digest: st.Digest(), text: src.Kind == format.Text, t: src.Item.Type}
	r.Items = r.digest.Items
	if src.Kind == format.NPY && r.Items != uint64(src.Items) {
		return r, fmt.Errorf("%s: the .npy header promises %d items, %d are there", src.Name, src.Items, r.Items)
	}
	var a, b uint64
	if r.Disorder, a, b = st.Disorder(); r.Disorder >= 0 {
		r.Before, r.At = format.Number(r.t, a), format.Number(r.t, b)
	}
	return r, nil
}

// scanLanes scans every lane of an array on its own.
func scanLanes(ctx context.Context, src *format.Source, l *format.Lanes, o key.Order, p *progress) (r scanned, err error) {
	col, err := src.Load(ctx, p.phase("reading", src.Size()))
	if err != nil {
		return r, err
	}
	r = scanned{File: src.Name, Type: src.Item.String(), Disorder: -1, lane: -1, t: src.Item.Type}
	err = eachLane(ctx, l, []*format.Column{col}, func(lane int, parts []*format.Column) error {
		st := verify.NewStream(r.t, o)
		st.Keys(parts[0].Data)
		r.lanes = append(r.lanes, st.Digest())
		r.digest.Add(st.Digest())
		if at, a, b := st.Disorder(); at >= 0 && r.Disorder < 0 {
			r.Disorder, r.lane, r.Before, r.At = at, lane, format.Number(r.t, a), format.Number(r.t, b)
		}
		return nil
	})
	r.Items = r.digest.Items
	return r, err
}

// where describes the disorder, with the line for text.
func (r *scanned) where() string {
	at := fmt.Sprintf("position %s", units.Count(r.Disorder))
	if r.text {
		at += fmt.Sprintf(" (line %d)", r.Disorder+1)
	}
	if r.lanes != nil {
		at = fmt.Sprintf("sequence %s, %s", units.Count(r.lane), at)
	}
	return fmt.Sprintf("disorder at %s: %s after %s", at, r.At, r.Before)
}

// counted reports what is read, and ends with the context's error.
type counted struct {
	ctx   context.Context
	r     io.Reader
	moved func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.moved(int64(n))
	return n, err
}

// runCheck is sort --check.
func (s *sortCmd) runCheck(ctx context.Context, in string) error {
	src, err := s.source(ctx, in)
	if err != nil {
		return err
	}
	defer src.Close()
	lanes, err := s.axis.lanes(src)
	if err != nil {
		return err
	}
	p := s.newProgress()
	defer p.close()
	r, err := scan(ctx, src, lanes, s.order(), p)
	p.close()
	if err != nil {
		return err
	}
	if s.check != checkedQuietly {
		s.tellRounded(s.err)
	}
	if s.json {
		if err := printJSON(s.out, r); err != nil {
			return err
		}
	}
	if r.Disorder < 0 {
		return nil
	}
	if s.check != checkedQuietly {
		fmt.Fprintf(s.err, "gpusort: %s: %s\n", r.File, r.where())
	}
	return negative{}
}
