package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeArray writes an .npy file by hand, independent of the writer.
func writeArray(t *testing.T, descr, order, shape string, data []byte) string {
	t.Helper()
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	dict += strings.Repeat(" ", 117-len(dict)) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), 0)
	name := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(name, append(append(b, dict...), data...), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// command runs the command, which must succeed.
func command(t *testing.T, args ...string) string {
	t.Helper()
	out, msg, code := runOn(t, args...)
	if code != exitOK {
		t.Fatalf("%v: code %d, %s", args, code, msg)
	}
	return out
}

// data returns an .npy file's header and what follows.
func dataOf(t *testing.T, name string) (header string, data []byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	return string(b[10:at]), b[at:]
}

// TestAxis sorts arrays of both orders along every axis, and compares with a sort by index.
func TestAxis(t *testing.T) {
	const rows, cols = 70, 90
	item := make([]uint16, rows*cols) // by row and column
	for i := range item {
		item[i] = uint16(i*7919) % 512
	}
	lane := func(axis, which int) (out []int) { // indices into item
		if axis == 0 {
			for r := range rows {
				out = append(out, r*cols+which)
			}
			return out
		}
		for c := range cols {
			out = append(out, which*cols+c)
		}
		return out
	}
	for _, order := range []string{"False", "True"} {
		place := func(i int) int { // of an item in memory
			if order == "True" {
				return i%cols*rows + i/cols
			}
			return i
		}
		data, values := make([]byte, 2*len(item)), make([]byte, 3*len(item))
		for i, x := range item {
			binary.BigEndian.PutUint16(data[2*place(i):], x)
			copy(values[3*place(i):], []byte{byte(i), byte(i >> 8), 'v'})
		}
		in := writeArray(t, ">u2", order, "(70, 90)", data)
		vin := writeArray(t, "|V3", order, "(70, 90)", values)
		dir := t.TempDir()
		out, iout, vout := filepath.Join(dir, "o.npy"), filepath.Join(dir, "i.npy"), filepath.Join(dir, "v.npy")
		for _, axis := range []int{0, 1} {
			flag := fmt.Sprintf("--axis=%d", axis)
			command(t, "sort", "--device=cpu", flag, in, "--values", vin, "-o", out, "--values-out", vout)
			command(t, "sort", "--device=cpu", flag, in, "--argsort", "-o", iout)
			want, positions, moved := make([]byte, len(data)), make([]byte, 8*len(item)), make([]byte, len(values))
			for which := range []int{cols, rows}[axis] {
				from := lane(axis, which)
				by := make([]int, len(from))
				for i := range by {
					by[i] = i
				}
				slices.SortStableFunc(by, func(a, b int) int { return int(item[from[a]]) - int(item[from[b]]) })
				for i, at := range by {
					to, src := place(from[i]), place(from[at])
					copy(want[2*to:], data[2*src:2*src+2])
					copy(moved[3*to:], values[3*src:3*src+3])
					binary.LittleEndian.PutUint64(positions[8*to:], uint64(at))
				}
			}
			for _, c := range []struct {
				name, descr string
				want        []byte
			}{{out, "'>u2'", want}, {iout, "'<i8'", positions}, {vout, "'|V3'", moved}} {
				h, got := dataOf(t, c.name)
				if !bytes.Equal(got, c.want) {
					t.Errorf("order %s, axis %d: %s is wrong", order, axis, c.descr)
				}
				if !strings.Contains(h, c.descr) || !strings.Contains(h, "'fortran_order': "+order+", 'shape': (70, 90)") {
					t.Errorf("order %s, axis %d: header %q", order, axis, h)
				}
			}
			command(t, "sort", "--check", flag, out)
			if s := command(t, "verify", flag, out, "--against", in); !strings.Contains(s, "6,300 u16 keys") {
				t.Error(s)
			}
			other := fmt.Sprintf("--axis=%d", axis-2)
			if _, msg, code := runOn(t, "sort", "--check", fmt.Sprintf("--axis=%d", 1-axis), out); code != exitDisorder || !strings.Contains(msg, "disorder at sequence 0, position ") {
				t.Errorf("order %s, across axis %d: code %d, %s", order, axis, code, msg)
			}
			command(t, "verify", other, out, "--against", in) // the same axis from the end
		}
		// A permutation of the whole is none of its rows.
		command(t, "sort", "--device=cpu", "--axis=1", in, "-o", out)
		command(t, "sort", "--device=cpu", "--axis=0", out, "-o", iout)
		if _, msg, code := runOn(t, "verify", "--axis=0", iout, "--against", in); code != exitDisorder || !strings.Contains(msg, "does not hold the keys of") {
			t.Errorf("order %s: other rows: code %d, %s", order, code, msg)
		}
	}
}

// TestAxisRefused: what has no such axis, and outputs that cannot hold an array.
func TestAxisRefused(t *testing.T) {
	two := writeArray(t, "<u1", "False", "(2, 2)", []byte("dcba"))
	other := writeArray(t, "<u1", "True", "(2, 2)", []byte("dcba"))
	one := writeArray(t, "<u1", "False", "(4,)", []byte("dcba"))
	out := filepath.Join(t.TempDir(), "o")
	for want, args := range map[string][]string{
		"2 dimensions (2×2), want 1: give --axis N": {"sort", two, "-o", out},
		"give one from -2 to 1":                     {"sort", "--axis=2", two, "-o", out},
		"has one dimension, and so no axis 1":       {"sort", "--axis=1", one, "-o", out},
		"is no axis":                                {"sort", "--axis=first", one, "-o", out},
		"cannot be written as text":                 {"sort", "--axis=1", two, "-o", out + ".txt"},
		"cannot be written as raw":                  {"sort", "--axis=1", two, "--argsort", "-o", out + ".u64"},
		"arrays of different forms: save":           {"sort", "--axis=1", two, "--values", other, "-o", out + ".npy", "--values-out", out + "v.npy"},
		"arrays of different forms: compare":        {"verify", "--axis=1", two, "--against", other},
		"give --axis":                               {"verify", two},
	} {
		if _, msg, code := runOn(t, args...); code != exitError || !strings.Contains(msg, want) {
			t.Errorf("%v: code %d, %q, want %q", args, code, msg, want)
		}
	}
	command(t, "sort", "--axis=-1", one, "-o", out+".npy")
	if _, data := dataOf(t, out+".npy"); string(data) != "abcd" {
		t.Errorf("%q", data)
	}
}

// TestHalves: float16 sorts as floats do, and stays float16, bit for bit.
func TestHalves(t *testing.T) {
	// 1, -0, NaN with a payload, the least, -inf, 0.1, -2
	in := writeArray(t, "<f2", "False", "(7,)", []byte("\x00\x3c\x00\x80\x01\x7d\x01\x00\x00\xfc\x66\x2e\x00\xc0"))
	out := filepath.Join(t.TempDir(), "o.npy")
	for flag, want := range map[string]string{
		"--nan=first": "\x01\x7d\x00\xfc\x00\xc0\x00\x80\x01\x00\x66\x2e\x00\x3c",
		"--nan=last":  "\x00\xfc\x00\xc0\x00\x80\x01\x00\x66\x2e\x00\x3c\x01\x7d",
		"--reverse":   "\x00\x3c\x66\x2e\x01\x00\x00\x80\x00\xc0\x00\xfc\x01\x7d",
	} {
		command(t, "sort", flag, in, "-o", out)
		if h, data := dataOf(t, out); string(data) != want || !strings.Contains(h, "'<f2'") {
			t.Errorf("%s: %q, %s", flag, data, h)
		}
		command(t, "verify", flag, out, "--against", in)
	}
}
