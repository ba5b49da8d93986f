package cluster

import (
	"context"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/rows"
)

// headOf reads the beginning of the first file that has rows.
func (h *Host) headOf(ctx context.Context, p *Plan) error {
	p.Head = nil
	for _, f := range p.Files {
		n := min(p.Order.headBytes(), f.Size)
		if n == 0 {
			continue
		}
		l, err := h.stores.Locate(ctx, f.URL)
		if err == nil && f.Packed {
			// An error has the name of the file.
			if p.Head, err = h.unpackedHead(ctx, l, f, p.Order.headBytes()); err != nil || len(p.Head) > 0 {
				return err
			}
			continue
		}
		if err == nil {
			p.Head, err = fetch(ctx, l, 0, n)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.URL, err)
		}
		return nil
	}
	return nil
}

// check reads one object of the output.
func (h *Host) check(ctx context.Context, l layout, f File, i int) (rows.Checked, error) {
	at, err := h.stores.Locate(ctx, f.URL)
	if err != nil {
		return rows.Checked{}, FinalError{err}
	}
	if n, err := at.Size(ctx, at.Key); err != nil {
		return rows.Checked{}, fmt.Errorf("%s: %w", f.URL, err)
	} else if n != f.Size {
		return rows.Checked{}, sizeError{fmt.Errorf("%s has %d bytes, and the manifest says %d", f.URL, n, f.Size)}
	}
	parts, err := l.parts(ctx, i, 0, f.Size)
	if err != nil || len(parts) == 0 {
		return rows.Checked{}, err
	}
	return l.form().Check(ctx, func() (io.ReadCloser, error) {
		r, _, err := parts[0].Open()
		return r, err
	})
}

// sizeError is an object of another size than the manifest says.
type sizeError struct{ error }
