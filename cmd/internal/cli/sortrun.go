package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/outfile"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key"
)

// sortFiles are the open inputs and outputs of one sort.
type sortFiles struct {
	keys, values       *format.Source // values may be nil
	out, valuesOut     *sink
	outKind, valueKind format.Kind
	index              format.Item // of --argsort
	lanes              *format.Lanes
}

// runSort opens everything that can fail before it reads the first key.
func (s *sortCmd) runSort(ctx context.Context, in string) (err error) {
	var f sortFiles
	if f.keys, err = s.source(ctx, in); err != nil {
		return err
	}
	defer f.keys.Close()
	if f.values, err = s.valueSource(ctx); err != nil {
		return err
	}
	if f.values != nil {
		defer f.values.Close()
		if f.keys.Items >= 0 && f.values.Items >= 0 && f.keys.Items != f.values.Items {
			return lengthError(f.keys.Items, f.values.Items)
		}
		if !f.keys.Item.Array.Same(f.values.Item.Array) {
			return fmt.Errorf("%s and %s: %w", f.keys.Name, f.values.Name, errForms)
		}
	}
	if f.lanes, err = s.axis.lanes(f.keys); err != nil {
		return err
	}
	for _, in := range []*format.Source{f.keys, f.values} {
		if in != nil {
			s.tellWindow(in.Name, in.Packed, in.Window)
		}
	}
	s.spareDevices()
	sorter, err := s.open(s.order())
	if err != nil {
		return err
	}
	defer sorter.Close()
	if err := s.settleOutputs(&f); err != nil {
		return err
	}
	if s.explain {
		if err := cmp.Or(s.creatable(s.output, true), s.creatable(s.valuesOut, true)); err != nil {
			return err
		}
		return s.explainNumbers(&f, sorter)
	}
	if err := s.outputs(&f); err != nil {
		return err
	}
	defer f.out.discard()
	defer f.valuesOut.discard()
	p := s.newProgress()
	defer p.close()
	if large, err := s.large(ctx, &f); large || err != nil {
		if err == nil {
			err = s.sortLarge(ctx, &f, p)
		}
		return err
	}
	return s.sortFiles(ctx, &f, sorter, p, report{File: f.keys.Name})
}

func lengthError(keys, values int64) error {
	return fmt.Errorf("%s keys but %s values: there must be one value per key; is --value-type right?", units.Count(keys), units.Count(values))
}

// settleOutputs settles the formats of the outputs.
func (s *sortCmd) settleOutputs(f *sortFiles) (err error) {
	it := f.keys.Item
	if s.argsort {
		kind, _ := outFormat(s.output, "--out-format", s.outKind.Kind, f.keys.Kind, key0)
		if _, t := format.Guess(packed.Inner(s.output)); t != nil && s.index == "auto" && s.outKind.Kind == format.Auto {
			if *t == key.U32 || *t == key.U64 || *t == key.I64 {
				s.index, kind = t.String(), format.Raw
			}
		}
		if it, err = indexItem(s.index, kind); err != nil {
			return usagef(s.c, "%v", err)
		}
		it.Array = f.keys.Item.Array
		f.index = it
	}
	if f.outKind, err = outFormat(s.output, "--out-format", s.outKind.Kind, f.keys.Kind, it); err != nil {
		return err
	}
	if err := fitsArray(f.outKind, f.keys.Item.Array); err != nil {
		return fmt.Errorf("%s: %w", f.keys.Name, err)
	}
	if f.values != nil {
		if f.valueKind, err = outFormat(s.valuesOut, "", format.Auto, f.values.Kind, f.values.Item); err != nil {
			return err
		}
		if err := fitsArray(f.valueKind, f.values.Item.Array); err != nil {
			return fmt.Errorf("%s: %w", f.values.Name, err)
		}
		if f.valueKind == format.Text && f.values.Item.Opaque {
			return fmt.Errorf("%s: %v cannot be written as text: use raw or npy", s.valuesOut, f.values.Item)
		}
		if s.output != "" && outfile.Same(s.output, s.valuesOut) {
			return usagef(s.c, "keys and values cannot both go to %s", s.output)
		}
	}
	return nil
}

// outputs creates the output files.
func (s *sortCmd) outputs(f *sortFiles) (err error) {
	if f.out, err = s.createPacked(s.output, f.outKind, "give -o FILE, or --out-format text"); err != nil {
		return err
	}
	if f.values != nil {
		if f.valuesOut, err = s.createPacked(s.valuesOut, f.valueKind, "give --values-out FILE"); err != nil {
			f.out.discard()
			return err
		}
	}
	return err
}

// fitsArray says that a format cannot hold an array.
func fitsArray(kind format.Kind, a *format.Array) error {
	if a == nil || kind == format.NPY {
		return nil
	}
	return fmt.Errorf("an array of %v cannot be written as %v: name the output .npy", a, kind)
}

// key0 stands for indices whose type is not settled yet.
var key0 = format.KeyItem(key.U64)

// indexItem is the type of positions.
func indexItem(name string, kind format.Kind) (format.Item, error) {
	switch name {
	case "auto":
		if kind == format.NPY {
			return format.KeyItem(key.I64), nil
		}
		return format.KeyItem(key.U64), nil
	}
	if t, err := key.Parse(name); err == nil && (t == key.U32 || t == key.U64 || t == key.I64) {
		return format.KeyItem(t), nil
	}
	return format.Item{}, fmt.Errorf("--index: %w", errChoice(name, "auto", "u32", "u64", "i64"))
}

// sortFiles reads, sorts and writes. Outputs are put in their places only when
// all of them are complete, the values first.
func (s *sortCmd) sortFiles(ctx context.Context, f *sortFiles, sorter *gpusort.Sorter, p *progress, r report) error {
	start := time.Now()
	var w work
	var err error
	if w.keys, err = f.keys.Load(ctx, p.phase("reading", f.keys.Size())); err != nil {
		return err
	}
	if f.values != nil {
		if w.values, err = f.values.Load(ctx, p.phase("reading", f.values.Size())); err != nil {
			return err
		}
		if w.keys.Len() != w.values.Len() {
			return lengthError(int64(w.keys.Len()), int64(w.values.Len()))
		}
	}
	n := w.keys.Len()
	out := w.keys
	if s.argsort {
		if f.index.Bytes == 4 && uint64(n) > 1<<32 {
			return fmt.Errorf("positions of %s keys do not fit u32: give --index u64", units.Count(n))
		}
		if err := room.For(uint64(n), uint64(f.index.Bytes)); err != nil {
			return fmt.Errorf("positions of %s: %w", f.keys.Name, err)
		}
		w.index = format.NewColumn(f.index, n)
		out = w.index
	}
	r.Read = time.Since(start).Seconds()
	w.s = sorter
	p.phase("sorting", 0)
	start = time.Now()
	if err := w.runLanes(ctx, f.lanes); err != nil {
		return fmt.Errorf("sorting %s: %w", f.keys.Name, err)
	}
	r.elapsed = time.Since(start)
	start = time.Now()
	if err := format.Encode(ctx, f.out, f.outKind, out, s.writing(p, f.out, int64(len(out.Data)))); err != nil {
		return err
	}
	if w.values != nil {
		if err := format.Encode(ctx, f.valuesOut, f.valueKind, w.values, s.writing(p, f.valuesOut, int64(len(w.values.Data)))); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.commit(s.valuesOut); err != nil {
		return err
	}
	p.close()
	r.Write = time.Since(start).Seconds()
	r.sorted(&w, s)
	return s.report(r)
}

// commit puts the outputs in their places.
func (f *sortFiles) commit(valuesOut string) error {
	if f.valuesOut != nil {
		if err := f.valuesOut.commit(); err != nil {
			return err
		}
	}
	err := f.out.commit()
	if err != nil && f.valuesOut != nil && f.valuesOut.file != nil {
		err = fmt.Errorf("%w; the sorted values are already in %s", err, valuesOut)
	}
	return err
}
