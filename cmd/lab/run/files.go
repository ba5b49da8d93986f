package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// Files is the operation that sorts a file by a command; its contenders are programs.
const (
	Files   = "files"
	Gpusort = "gpusort" // this program's command sort
	GNU     = "gnu-sort"
)

// fileFormat is a kind of file: how a row is made of a key of 64 bits, and the flags that
// have either program sort it. Both give the same bytes.
type fileFormat struct {
	name, suffix string
	ours, gnu    []string // no gnu: it cannot
	binary       bool     // rows have 8 bytes and no end of line
	words        bool     // rows have a word
	// row appends row i, whose key is k; word writes its text, where it has one.
	row func(to []byte, i uint64, k int64, word func([]byte) []byte) []byte
	// before reports whether row a stands before row b or is in its place; false with an
	// error, if one of them is no row.
	before func(a, b []byte) (bool, error)
}

var fileFormats = []fileFormat{
	{
		name: "lines", suffix: ".txt", words: true,
		row:    func(to []byte, _ uint64, _ int64, word func([]byte) []byte) []byte { return append(word(to), '\n') },
		before: func(a, b []byte) (bool, error) { return bytes.Compare(a, b) <= 0, nil },
		gnu:    []string{},
	},
	{
		name: "numbers", suffix: ".txt", ours: []string{"-n"}, gnu: []string{"-n"},
		row: func(to []byte, _ uint64, k int64, _ func([]byte) []byte) []byte {
			return append(strconv.AppendInt(to, k, 10), '\n')
		},
		before: func(a, b []byte) (bool, error) {
			x, y, err := twoNumbers(a, b)
			return x <= y, err
		},
	},
	{
		// number,word,row: sorted by the number, rows with the same one in their order.
		name: "csv", suffix: ".csv", words: true, ours: []string{"--by", "1:number", "--header", "0"}, gnu: []string{"-t,", "-k1,1n", "-s"},
		row: func(to []byte, i uint64, k int64, word func([]byte) []byte) []byte {
			to = word(append(strconv.AppendInt(to, k, 10), ','))
			return append(strconv.AppendUint(append(to, ','), i, 10), '\n')
		},
		before: func(a, b []byte) (bool, error) {
			f, g := bytes.Split(a, []byte(",")), bytes.Split(b, []byte(","))
			if len(f) != 3 || len(g) != 3 {
				return false, fmt.Errorf("a row has not three fields")
			}
			x, y, err := twoNumbers(f[0], g[0])
			i, k, err2 := twoNumbers(f[2], g[2])
			if err == nil {
				err = err2
			}
			return x < y || x == y && i < k, err
		},
	},
	{
		name: "u64", suffix: ".u64", binary: true,
		row: func(to []byte, _ uint64, k int64, _ func([]byte) []byte) []byte {
			return binary.LittleEndian.AppendUint64(to, uint64(k))
		},
		before: func(a, b []byte) (bool, error) {
			return binary.LittleEndian.Uint64(a) <= binary.LittleEndian.Uint64(b), nil
		},
	},
}

func twoNumbers(a, b []byte) (x, y int64, err error) {
	if x, err = strconv.ParseInt(string(a), 10, 64); err == nil {
		y, err = strconv.ParseInt(string(b), 10, 64)
	}
	return x, y, err
}

// fileFormatNames are those of the axis Format.
func fileFormatNames() (out []string) {
	for _, f := range fileFormats {
		out = append(out, f.name)
	}
	return out
}

// fileSpec is a file to be sorted.
type fileSpec struct {
	fileFormat
	items  uint64
	length uint64 // of a word
	budget uint64 // bytes of memory, 0: the programs' own choice
}

func findFormat(name string) (fileFormat, error) {
	i := slices.IndexFunc(fileFormats, func(f fileFormat) bool { return f.name == name })
	if i < 0 {
		return fileFormat{}, fmt.Errorf("axis Format: %q is none of %v", name, fileFormatNames())
	}
	return fileFormats[i], nil
}

// partRows are made at a time: a multiple of dist.BlockItems.
const partRows = 1 << 16

// rows calls f with the rows of a source, some at a time. u64 has the keys of the
// distribution as they are, all others have them as signed numbers, or as letters that 8 bits
// each choose.
func (s fileSpec) rows(src source, f func([]byte) error) error {
	t := key.I64
	if s.binary {
		t = key.U64
	}
	words := 0
	if s.words {
		words = int(s.length+7) / 8
	}
	keys := make([][]int64, 1+words)
	for i := range keys {
		keys[i] = make([]int64, min(partRows, s.items))
	}
	var part []byte
	for lo := uint64(0); lo < s.items; lo += partRows {
		n := min(partRows, s.items-lo)
		for i, k := range keys {
			of := t
			if i > 0 {
				of = key.U64
			}
			dist.FillAt(unsafe.Pointer(unsafe.SliceData(k)), int(n), lo, s.items, src.dist, of, src.seed+uint64(8*i))
		}
		part = part[:0]
		for i := range n {
			part = s.row(part, lo+i, keys[0][i], func(to []byte) []byte {
				for at := range s.length {
					to = append(to, 'a'+byte(uint64(keys[1+at/8][i])>>(56-8*(at%8)))%26)
				}
				return to
			})
		}
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}
