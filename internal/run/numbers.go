package run

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// Numbered is a Format some of whose rows are but numbers: each is written as its number
// is, and their order is that of numbers. As long as all rows of a sort are, numbers are sorted,
// without rows and keys.
type Numbered interface {
	Format
	// Numbered reports whether rows may be numbers.
	Numbered() bool
	// Numbers appends the numbers of rows, and reports whether all rows of b are such.
	Numbers(b []byte, numbers []uint64) ([]uint64, bool)
	// AppendNumber appends the row of a number, with its delimiter.
	AppendNumber(dst []byte, number uint64) []byte
}

// numberBytes is what a number takes: itself and what sorting it takes.
const numberBytes = 8 + 8

// longestNumber is more than any row of a number takes.
const longestNumber = 32

// startNumbers has rows taken for numbers, until one is none.
func (f *former) startNumbers() {
	n, ok := f.Format.(Numbered)
	// Who observes rows sees their keys.
	if ok = ok && n.Numbered() && !f.selecting() && f.Observe == nil; ok {
		f.numbered = n
		f.t.numbers.Store(true)
	}
}

// endNumbers makes rows of the numbers in the table: one row that comes next is none.
func (p *parser) endNumbers() error {
	f, t := p.former, p.t
	f.fill.Wait()
	if uint64(t.rows)*(8+2*longestNumber+t.rowBytes()) > t.room {
		if err := f.spillOn(); err != nil {
			return err
		}
	}
	t.numbers.Store(false)
	numbers, err := mem.Reserve[uint64](uint64(t.rows))
	if err != nil {
		return err
	}
	defer numbers.Release()
	copy(numbers.All, t.numbersAt(0, t.rows))
	t.clear()
	own := parser{former: f, keys: p.keys}
	for left := numbers.All; len(left) > 0; {
		some := left[:min(len(left), f.block/longestNumber+1)]
		left = left[len(some):]
		rows := []byte(nil)
		for _, v := range some {
			rows = f.numbered.AppendNumber(rows, v)
		}
		if err := own.parse(batch{rows: rows}); err != nil {
			return err
		}
		own.store(own.take())
	}
	return nil
}

// numbersAt is n numbers of the table, from one on.
func (t *table) numbersAt(from, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(t.data.All))), len(t.data.All)/8)[from : from+n]
}

// sortNumbers sorts the numbers of the table.
func (f *former) sortNumbers() error {
	codec := key.CodecUnsigned
	if f.Desc {
		codec |= key.CodecDesc
	}
	return cpu.Keys(f.t.numbersAt(0, f.t.rows), codec, cpu.Options{Workers: f.Workers, Ctx: f.ctx})
}

// gatherNumbers is gather of numbers.
func (f *former) gatherNumbers(dst []byte, lo, hi int, unique bool, count func([]byte, int64) []byte) ([]byte, int) {
	all, n := f.t.numbersAt(0, f.t.rows), 0
	for i, v := range all[lo:hi] {
		i += lo
		if unique && i > 0 && v == all[i-1] {
			continue
		}
		if count != nil {
			end := i + 1
			for end < len(all) && all[end] == v {
				end++
			}
			dst = count(dst, int64(end-i))
		}
		dst = f.numbered.AppendNumber(dst, v)
		n++
	}
	return dst, n
}
