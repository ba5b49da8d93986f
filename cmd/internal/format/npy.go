package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// The .npy format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
const (
	npyMagic = "\x93NUMPY"
	npyAlign = 64 // the header ends at a multiple of it
	// npyMaxHeader bounds what is read before the header is known to be sane;
	// NumPy itself refuses more than 10000 characters.
	npyMaxHeader = 1 << 16
)

// npyHeader is what a header says of an array.
type npyHeader struct {
	descr string
	items uint64
	array *Array // nil for one dimension
	bytes int    // of the header: where the data start
}

var errNotNPY = errors.New("no .npy file: it does not start with \\x93NUMPY")

// readNPYHeader reads and checks magic, version and dictionary.
func readNPYHeader(r io.Reader) (h npyHeader, err error) {
	var pre [12]byte
	if _, err := io.ReadFull(r, pre[:10]); err != nil {
		return h, truncated(err, "the header")
	}
	if string(pre[:6]) != npyMagic {
		return h, errNotNPY
	}
	size, at := uint32(binary.LittleEndian.Uint16(pre[8:])), 10
	switch pre[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, pre[10:]); err != nil {
			return h, truncated(err, "the header")
		}
		size, at = binary.LittleEndian.Uint32(pre[8:]), 12
	default:
		return h, fmt.Errorf(".npy version %d.%d: known are 1.0, 2.0 and 3.0", pre[6], pre[7])
	}
	if size > npyMaxHeader {
		return h, fmt.Errorf(".npy header of %d bytes: at most %d are accepted", size, npyMaxHeader)
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, truncated(err, "the header")
	}
	h.bytes = at + int(size)
	d := dictReader{s: string(text)}
	if err := d.read(); err != nil {
		return h, fmt.Errorf(".npy header %q: %w", bytes.TrimRight(text, " \n"), err)
	}
	switch {
	case strings.HasPrefix(d.descr, "["):
		return h, errors.New(".npy holds a structured array: save one field of it")
	case len(d.shape) == 0:
		return h, errors.New(".npy array has 0 dimensions: there is nothing to sort in one number")
	}
	h.descr, h.items = d.descr, 1
	for _, n := range d.shape {
		if n > 0 && h.items > math.MaxInt64/n {
			return h, fmt.Errorf(".npy header promises an array of %v items: more than any file holds", &Array{Shape: d.shape})
		}
		h.items *= n
	}
	if len(d.shape) > 1 {
		h.array = &Array{d.shape, d.fortran}
	}
	return h, nil
}

func truncated(err error, what string) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("truncated .npy file: it ends within %s", what)
	}
	return err
}

// npyItem reads a type string such as <u4. Opaque values may be of any
// fixed-width type; keys are numbers of either byte order, or bools.
func npyItem(descr string, opaque bool) (Item, error) {
	bad := func(why string) (Item, error) { return Item{}, fmt.Errorf(".npy type %q: %s", descr, why) }
	if strings.HasPrefix(strings.TrimLeft(descr, "<>|="), "O") {
		return bad("Python objects have no bytes to sort")
	}
	if len(descr) < 3 {
		return bad("not a NumPy type string")
	}
	digits := strings.IndexByte(descr+"[", '[') // <M8[ns]
	n, err := strconv.ParseUint(descr[2:digits], 10, 16)
	if err != nil || n == 0 || !strings.ContainsRune("<>|=", rune(descr[0])) {
		return bad("not a NumPy type string of fixed width")
	}
	width, letter := int(n), descr[1]
	if letter == 'U' {
		width *= 4
	}
	if opaque {
		return Item{Opaque: true, Bytes: width, Descr: descr}, nil
	}
	digit := strconv.Itoa(width)
	t, ok := codedKeys[string(letter)+digit]
	if !ok {
		name := map[byte]string{'u': "u", 'i': "i", 'f': "f"}[letter] + strconv.Itoa(width*8)
		if t, err = key.Parse(name); err != nil || t.Bytes() != width {
			return bad("no key type: known are b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8")
		}
	}
	it := KeyItem(t)
	switch {
	case letter == 'b':
		it.Descr = npyBool
	case descr[0] == '>' && width > 1:
		it.Descr = ">" + string(letter) + digit
	case letter == 'f' && width == 2:
		it.Descr = "<f2"
	}
	return it, nil
}

// npyDescr is the inverse of npyItem.
func npyDescr(it Item) string {
	if it.Descr != "" {
		return it.Descr
	}
	if it.Opaque {
		return "|V" + strconv.Itoa(it.Bytes)
	}
	end := "<"
	if it.Bytes == 1 {
		end = "|"
	}
	return end + it.Type.String()[:1] + strconv.Itoa(it.Bytes)
}

// appendNPYHeader writes a version 1.0 header.
func appendNPYHeader(b []byte, it Item, n uint64) []byte {
	order, shape := "False", fmt.Sprintf("%d,", n)
	if it.Array != nil {
		shape = strings.ReplaceAll(strings.Trim(fmt.Sprint(it.Array.Shape), "[]"), " ", ", ")
		if it.Array.Fortran {
			order = "True"
		}
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", npyDescr(it), order, shape)
	pad := npyAlign - (10+len(dict)+1)%npyAlign
	b = append(b, npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)+pad+1))
	return append(append(b, dict...), strings.Repeat(" ", pad)+"\n"...)
}
