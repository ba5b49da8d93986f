package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestLongRows has rows that are longer than blocks, and than the memory given.
func TestLongRows(t *testing.T) {
	var b strings.Builder
	for i, n := range []int{5, 3 * blockBytes, 0, blockBytes - 1, blockBytes, 2, 5 * blockBytes, 1} {
		fmt.Fprintf(&b, "%d %s\n", 9-i, strings.Repeat("y", n))
	}
	for name, spec := range orders(t) {
		o := optionsOf(spec)
		o.room, o.Temp = 1<<16, []string{t.TempDir()}
		var out bytes.Buffer
		_, err := Sort(t.Context(), o, []Input{input(b.String())}, -1, &out)
		if err != nil || out.String() != expected(o, b.String()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFarRows has rows beyond 4 GiB, in memory that is nowhere else touched.
func TestFarRows(t *testing.T) {
	for _, name := range []string{"lines", "numbers", "numbers -s", "numbers, together"} {
		spec, together := strings.CutSuffix(name, ", together")
		o := optionsOf(orders(t)[spec]).complete()
		if together { // as rows are whose keys others see
			o.Observe = func() func(Seen) func(int, int64, int64) { return nil }
		}
		o.room = 9 << 30
		f, err := newFormer(t.Context(), o, -1)
		if err != nil || f.t.room < o.room {
			absent.Skip(t, "address space", "%v", err)
		}
		p := parser{former: f, turn: newOrdered(), keys: o.Format.Encoder()}
		var want strings.Builder
		for i, at := range []uint64{0, 1<<32 - 3, 1<<32 + 50, 1<<33 - 1, 1<<33 + 64} {
			f.t.used = at
			if f.t.split {
				f.t.keys, f.t.end = at, at
			}
			if f.t.rows > 0 { // the row before it ends there
				f.t.finish()
			}
			rows := fmt.Sprintf("%[1]d a\n%[1]d b\n%[1]d c\n", i+1)
			want.WriteString(rows)
			for high := uint64(len(f.t.wraps)+1) << 32; at >= high; high += 1 << 32 {
				f.t.wraps = append(f.t.wraps, uint32(f.t.rows))
				if f.t.split {
					f.t.far = append(f.t.far, uint32(f.t.rows))
				}
			}
			p.add(batch{number: i, rows: []byte(rows)})
		}
		if err := p.turn.failed(); err != nil {
			t.Fatal(err)
		}
		f.t.finish()
		var got strings.Builder
		for i := range uint32(f.t.rows) {
			begin := f.t.offset(i)
			at, _ := f.t.text(i)
			got.Write(f.t.texts[at : at+4])
			if tail := (tails{f.t, 1}); f.t.split && tail.Touch([]uint32{i}, 0, 2) != f.t.texts[at]^f.t.texts[at+1] {
				t.Errorf("%s: touching what is behind the key of row %d reads something else", name, i)
			} else if f.t.split && &tail.Bytes(i)[0] != &f.t.texts[at] {
				t.Errorf("%s: what is behind the key of row %d is not where it begins", name, i)
			}
			if key := f.t.Bytes(i); &key[0] != &f.t.data.All[begin] {
				t.Errorf("%s: row %d is not where it begins", name, i)
			} else if got := f.t.Touch([]uint32{i}, 1, 2); got != key[1]^key[2] {
				t.Errorf("%s: touching row %d reads %#x, want %#x", name, i, got, key[1]^key[2])
			}
		}
		if got.String() != want.String() {
			t.Errorf("%s: %q", name, got.String())
		}
		f.close()
	}
}

// TestRowTooLong: a row of more bytes than one may have is an error that says which, before its
// end was read.
func TestRowTooLong(t *testing.T) {
	for name, spec := range orders(t) {
		o := optionsOf(spec)
		o.MostRow, o.Temp = 64<<10, []string{t.TempDir()}
		fits := "9 x\n" + "8 " + strings.Repeat("y", int(o.MostRow)-3) + "\n7 z\n"
		var out bytes.Buffer
		if _, err := Sort(t.Context(), o, []Input{input(fits)}, -1, &out); err != nil || out.String() != expected(o, fits) {
			t.Errorf("%s: %v", name, err)
		}
		longer := "9 x\n8 " + strings.Repeat("y", int(o.MostRow)-2) + "\n7 z\n"
		if _, err := Sort(t.Context(), o, []Input{input(longer)}, -1, io.Discard); err == nil {
			t.Errorf("%s: a row of a byte more than there may be is sorted", name)
		}
		endless := func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader("1 b\n"), forever{})), nil
		}
		inputs := []Input{input("0 a\n"), endless}
		file := filepath.Join(t.TempDir(), "file")
		os.WriteFile(file, []byte("1 b\n"+strings.Repeat("x", 4*int(o.MostRow))), 0o666)
		_, mapped := Sort(t.Context(), o, []Input{func() (io.ReadCloser, error) {
			f, err := os.Open(file)
			return smallFile(f), err
		}}, -1, io.Discard)
		_, sorted := Sort(t.Context(), o, inputs, -1, io.Discard)
		_, merged := Merge(t.Context(), o, [][]Input{inputs[:1], inputs[1:]}, io.Discard)
		_, _, checked := Check(t.Context(), o, endless)
		for i, err := range []error{checked, mapped, sorted, merged} {
			var row *RowError
			if !errors.As(err, &row) || row.Row != 2 || row.Input != i/2 {
				t.Errorf("%s, way %d: %v", name, i, err)
			}
		}
	}
}

// forever is a row that does not end.
type forever struct{}

func (forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
