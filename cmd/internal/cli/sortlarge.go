package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/recordkey"
	"github.com/gpusort/gpusort/internal/run"
)

// largeSort sorts numbers that memory does not hold, as records: a key with its value or
// its position. Package run sorts them in runs and merges those.
type largeSort struct {
	*sortCmd
	f     *sortFiles
	width int    // of a record
	bytes uint64 // of records, read
}

func (s *sortCmd) newLarge(f *sortFiles) *largeSort {
	l := &largeSort{sortCmd: s, f: f, width: f.keys.Item.Bytes}
	switch {
	case s.argsort:
		l.width += f.index.Bytes
	case f.values != nil:
		l.width += f.values.Item.Bytes
	}
	return l
}

// sortLarge sorts and writes. Outputs are put in their places when all of them are complete.
func (s *sortCmd) sortLarge(ctx context.Context, f *sortFiles, p *progress) error {
	start := time.Now()
	l := s.newLarge(f)
	records := recordkey.Records{Size: l.width}
	if it := f.keys.Item; l.width > it.Bytes {
		records.Fields = []recordkey.Field{{To: it.Bytes, Number: true, Type: it.Type, Order: s.order()}}
	}
	if err := l.fits(s.temp); err != nil {
		return err
	}
	o := s.runOptions()
	o.Format, o.Budget, o.Phase = records, min(s.memoryLimit(), o.Budget), s.phases(p, f.out)
	o.Budget -= min(o.Budget, f.packing(s))
	if room.For(o.Budget, 1) != nil {
		o.Budget = room.Largest(o.Budget) / 4 * 3 // the runtime needs some
	}
	input := func() (io.ReadCloser, error) { return io.NopCloser(l.records(ctx)), nil }
	w := &unzipped{ctx: ctx, l: l}
	st, err := run.Sort(ctx, o, []run.Input{input}, -1, w)
	if err == nil {
		err = w.begin()
	}
	if err != nil {
		return err
	}
	if err := f.commit(s.valuesOut); err != nil {
		return err
	}
	p.close()
	r := report{File: f.keys.Name, Items: int(st.Rows), Device: "cpu", Algorithm: "runs", Pieces: st.Runs, Read: st.Read, Write: st.Written}
	r.asked(s, f.keys.Item, f.values != nil)
	r.timed(time.Since(start))
	return s.report(r)
}

// fits says that the folders of temporary files have less room than the records of keys
// whose number is known before they are read.
func (l *largeSort) fits(folders []string) error {
	if len(folders) == 0 {
		folders = []string{os.TempDir()}
	}
	n, _ := items(l.f.keys)
	if l.f.keys.Kind == format.Text {
		n /= 16 // of the most, which have a byte and a newline each
	}
	need, free := n*uint64(l.width), uint64(math.MaxUint64)
	for _, dir := range folders {
		space, err := freeSpace(dir)
		if err != nil {
			return nil // it will be told when a file is made
		}
		free = min(free, space*uint64(len(folders))) // files go to the folders in turn
	}
	if need > free {
		return fmt.Errorf("sorting %s: %s of temporary files are needed, and %s are free: name a folder with more room by -T, or give more memory by -S",
			l.f.keys.Name, units.Bytes(need), units.Bytes(free))
	}
	return nil
}
