package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

var ctx = context.Background()

func filled(t key.Type, n int, name string) *Column {
	c := NewColumn(KeyItem(t), n)
	d := dist.Must(name)
	switch c.Bytes {
	case 1:
		dist.Fill(View[uint8](c), d, t, 1)
	case 2:
		dist.Fill(View[uint16](c), d, t, 1)
	case 4:
		dist.Fill(View[uint32](c), d, t, 1)
	case 8:
		dist.Fill(View[uint64](c), d, t, 1)
	}
	return c
}

// TestRoundTrip writes and reads every type in every format, from files and
// from streams: the bits come back.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, r := range key.Table() {
		for _, name := range []string{"specials", "uniform", "entropy-1.000"} {
			for _, n := range []int{0, 1, 2, 1000, textItems + 1} {
				want := filled(r.Type, n, name)
				for _, k := range []Kind{Raw, NPY, Text} {
					var b bytes.Buffer
					if err := Encode(ctx, &b, k, want, nil); err != nil {
						t.Fatal(err)
					}
					file := filepath.Join(dir, "x")
					if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
						t.Fatal(err)
					}
					for _, in := range []string{file, "-"} {
						it := want.Item
						s, err := Open(ctx, in, Spec{Kind: k, Item: &it, Stdin: iotest.HalfReader(bytes.NewReader(b.Bytes()))})
						if err != nil {
							t.Fatal(err)
						}
						got, err := s.Load(ctx, nil)
						if err != nil {
							t.Fatalf("%s %v n=%d %s: %v", r.Name, k, n, in, err)
						}
						if got.Item != want.Item || !bytes.Equal(got.Data, want.Data) {
							t.Fatalf("%s %v n=%d %s %s: other bits came back", r.Name, k, n, in, name)
						}
						s.Close()
					}
				}
			}
		}
	}
}

func TestLargeText(t *testing.T) {
	want := filled(key.U64, 300000, "uniform") // several chunks
	var b bytes.Buffer
	if err := Encode(ctx, &b, Text, want, nil); err != nil {
		t.Fatal(err)
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	got, err := ParseText(ctx, text, key.U64, nil)
	if err != nil || !bytes.Equal(got.Data, want.Data) {
		t.Fatalf("other bits came back: %v", err)
	}
	lines := bytes.Split(text, []byte("\n"))
	for _, at := range []int{len(lines) - 1, 200000, 123456, 0} {
		lines[at] = []byte("12x")
		_, err := ParseText(ctx, bytes.Join(lines, []byte("\n")), key.U64, nil)
		var le *LineError
		if !errors.As(err, &le) || le.Line != int64(at+1) {
			t.Errorf("error %v, want line %d", err, at+1)
		}
	}
}

// TestByteOrderMark: text of Windows programs begins with one; elsewhere it is no
// number.
func TestByteOrderMark(t *testing.T) {
	c, err := ParseText(ctx, []byte("\ufeff3\r\n1\r\n"), key.U8, nil)
	if err != nil || !bytes.Equal(c.Data, []byte{3, 1}) {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := ParseText(ctx, []byte("3\n\ufeff1\n"), key.U8, nil); err == nil {
		t.Errorf("inside: %v", c.Data)
	}
}

func TestGuess(t *testing.T) {
	for name, want := range map[string]Kind{"a.npy": NPY, "a.TXT": Text, "a.csv": Text, "a.tsv": Text, "a.bin": Raw, "a.u64": Raw, "a.int64": Raw, "a.float32": Raw, "a.int": Auto, "a.byte": Auto, "a.double": Auto, "a.dat": Auto, "csv": Auto} {
		if got, _ := Guess(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	const none, out, small, inexact = "no number", "out of range", "too small", "an integer that no float holds"
	for _, c := range []struct{ t, s, want string }{
		{"f64", "1234567", "1234567"}, {"f64", "1e20", "100000000000000000000"}, {"f64", "1e21", "1e+21"}, {"f64", "-0.000001", "-0.000001"},
		{"f64", "1e-7", "1e-07"}, {"f32", "16777216", "16777216"}, {"f32", "3e9", "3000000000"}, {"f32", "0.1", "0.1"},
		{"f64", "9007199254740993", inexact}, {"f64", "-9007199254740993.00", inexact}, {"f64", "0009007199254740993", inexact},
		{"f64", "9007199254740992", "9007199254740992"}, {"f64", "9007199254740994", "9007199254740994"},
		{"f64", "1152921504606846976", "1152921504606847000"}, {"f64", "1152921504606847000", "1152921504606847000"},
		{"f64", "1152921504606847001", inexact}, {"f64", "9007199254740993e0", "9007199254740992"}, {"f64", "9007199254740992.5", "9007199254740992"},
		{"f64", "0.12345678901234567890", "0.12345678901234568"}, {"f32", "16777217", inexact}, {"f32", "-16777217", inexact},
		{"f64", "1e-400", small}, {"f64", "-1e-400", small}, {"f64", "0.0e-400", "0"}, {"f64", "-0e5", "-0"}, {"f64", "0x1p-2000", small},
		{"f64", "0x0p-2000", "0"}, {"f64", "3e-324", "5e-324"},
		{"u8", "255", "255"}, {"u8", "256", out}, {"u8", "-1", out}, {"u8", "-0", "0"}, {"u8", "+7", "7"},
		{"u8", "007", "7"}, {"u8", "", none}, {"u8", "-", none}, {"u8", "1.0", none}, {"u8", "1e1", none}, {"u8", "0x1", none},
		{"i8", "-128", "-128"}, {"i8", "-129", out}, {"i8", "128", out}, {"i8", "127", "127"},
		{"i16", "-32768", "-32768"}, {"u16", "65536", out}, {"i32", "2147483648", out}, {"i32", "-2147483648", "-2147483648"},
		{"u64", "18446744073709551615", "18446744073709551615"}, {"u64", "18446744073709551616", out},
		{"u64", "18446744073709551619", out}, {"u64", "184467440737095516150", out}, {"u64", "99999999999999999999999999999", out},
		{"u64", "000000000000000000000000000000012", "12"}, {"u64", "1_000", none}, {"u64", "12 13", none},
		{"i64", "-9223372036854775808", "-9223372036854775808"}, {"i64", "-9223372036854775809", out},
		{"i64", "9223372036854775808", out}, {"i64", "9223372036854775807", "9223372036854775807"},
		{"f32", "inf", "inf"}, {"f32", "-Infinity", "-inf"}, {"f32", "+INF", "inf"}, {"f32", "1e39", out}, {"f32", "-0", "-0"},
		{"f32", "nan", "nan"}, {"f32", "-NaN", "-nan"}, {"f32", "nan(0x1)", "nan(0x1)"}, {"f32", "nan(0x800000)", out},
		{"f32", "nan(0x0)", out}, {"f32", "nanx", none}, {"f32", "banana", none}, {"f32", "1e-50", small}, {"f32", "0.1", "0.1"},
		{"f64", "1e400", out}, {"f64", "5e-324", "5e-324"}, {"f64", "nan(0xfffffffffffff)", "nan(0xfffffffffffff)"},
		{"f64", "1,5", none}, {"f64", "1_000", none}, {"f64", "0x1p-3", "0.125"}, {"f64", "", none}, {"f64", "1e", none},
	} {
		ty, _ := key.Parse(c.t)
		u, err := Numbers{}.parse([]byte(c.s), ty)
		got := Number(ty, u)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %q: %s, want %s", c.t, c.s, got, c.want)
		}
	}
}

// TestNumbersByOption: what is lost on request, and integers as others write them.
func TestNumbersByOption(t *testing.T) {
	round, loose := Numbers{Round: true}, Numbers{Loose: true}
	const none, out = "no number", "out of range"
	for _, c := range []struct {
		n          Numbers
		t, s, want string
	}{
		{round, "f64", "9007199254740993", "9007199254740992"}, {round, "f64", "1e-400", "0"}, {round, "f64", "-1e400", "-inf"},
		{round, "f32", "1e39", "inf"}, {round, "u8", "256", out}, {round, "f64", "one", none},
		{loose, "u32", "1e5", "100000"}, {loose, "u32", "2.5e3", "2500"}, {loose, "i8", "-12.0", "-12"}, {loose, "u8", "0x10", "16"},
		{loose, "i16", "-0XfF", "-255"}, {loose, "u8", "0x100", out}, {loose, "u8", "1.5", none}, {loose, "u8", "1e-1", none},
		{loose, "u8", "0x", none}, {loose, "u8", "1e3", out}, {loose, "u8", "-1e0", out}, {loose, "u64", "1e999", out},
		{loose, "u64", "1e99999999999", none}, {loose, "u64", "18446744073709551615.0", "18446744073709551615"}, {loose, "u8", "007", "7"},
		{loose, "u8", ".", none}, {loose, "u8", "1_0", none}, {loose, "u8", "256", out},
	} {
		ty, _ := key.Parse(c.t)
		u, err := c.n.parse([]byte(c.s), ty)
		got := Number(ty, u)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v %s %q: %s, want %s", c.n, c.t, c.s, got, c.want)
		}
	}
}

// TestRounded counts what Round changes, and nothing else.
func TestRounded(t *testing.T) {
	var n atomic.Int64
	for _, s := range []string{"9007199254740993", "1e-400", "-1e400", "0.1", "1e22", "9007199254740992", "nan", "0", "123456789012345678901"} {
		if _, err := (Numbers{Round: true, Rounded: &n}).parse([]byte(s), key.F64); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if n.Load() != 4 {
		t.Errorf("%d numbers are rounded, not 4", n.Load())
	}
}

// TestTrailingBlankLine: a blank line at the end, or several, is no number and no error; one before is an error.
func TestTrailingBlankLine(t *testing.T) {
	item := KeyItem(key.U8)
	for text, want := range map[string]int{"1\n2\n\n": 2, "1\n2\n \r\n\n": 2, "\n": 0, "\ufeff\n": 0, "1\n\n2\n": -1, "\n1\n": -1,
		strings.Repeat("1\n", streamBytes/2) + "\n\n": streamBytes / 2, strings.Repeat("1\n", streamBytes/2-1) + "\n\n\n": streamBytes/2 - 1,
		strings.Repeat("1\n", streamBytes/2-1) + "\n\n1\n": -1,
	} {
		c, err := ParseText(ctx, []byte(text), key.U8, nil)
		if (err != nil) != (want < 0) || err == nil && c.Len() != want {
			t.Errorf("%.20q: %v, want %d", text, err, want)
		}
		s, err := Open(ctx, "-", Spec{Kind: Text, Item: &item, Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(s.Stream(ctx))
		if (err != nil) != (want < 0) || err == nil && len(b) != want {
			t.Errorf("%.20q by parts: %d, %v, want %d", text, len(b), err, want)
		}
	}
}

// npy makes a file by hand, independent of the writer.
func npy(version byte, dict string, data []byte) []byte {
	b := []byte("\x93NUMPY")
	b = append(b, version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(append(b, dict...), data...)
}

func dict(descr, fortran, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n"
}

func TestNPYAccepted(t *testing.T) {
	data := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	for version := byte(1); version <= 3; version++ {
		for _, d := range []string{
			dict("'<u4'", "False", "(2,)"), dict(`"=u4"`, "False", "(2,)"), dict("'<u4'", "False", "(2L,)"),
			"{ 'shape':(2,),'fortran_order':False,'descr':'<u4'}",
		} {
			s, err := Open(ctx, "-", Spec{Kind: NPY, Stdin: bytes.NewReader(npy(version, d, data))})
			if err != nil {
				t.Errorf("%q: %v", d, err)
				continue
			}
			c, err := s.Load(ctx, nil)
			if err != nil || c.Type != key.U32 || c.Len() != 2 || c.At(1) != 2 {
				t.Errorf("%q: %v %v", d, c, err)
			}
		}
	}
	for descr, width := range map[string]int{"'<c16'": 16, "'|S10'": 10, "'<U3'": 12, "'<M8[ns]'": 8, "'|b1'": 1, "'>f8'": 8, "'|V12'": 12} {
		s, err := Open(ctx, "-", Spec{Kind: NPY, Opaque: true, Stdin: bytes.NewReader(npy(1, dict(descr, "False", "(0,)"), nil))})
		if err != nil || s.Item.Bytes != width {
			t.Errorf("values %s: %v", descr, err)
			continue
		}
		if h := string(appendNPYHeader(nil, s.Item, 0)); !strings.Contains(h, descr) || len(h)%npyAlign != 0 {
			t.Errorf("values %s: header %q", descr, h)
		}
	}
}

func TestNPYRefused(t *testing.T) {
	two := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	good := npy(1, dict("'<u4'", "False", "(2,)"), two)
	for want, file := range map[string][]byte{
		"ends within the header":   good[:20],
		"does not start with":      []byte("PK\x03\x04 something else"),
		"version 4.0":              npy(4, "", nil),
		"2 dimensions (2×1)":       npy(1, dict("'<u4'", "False", "(2, 1)"), two),
		"3 dimensions":             npy(1, dict("'<u4'", "True", "(2, 1, 1)"), two),
		"2×9223372036854775807 it": npy(1, dict("'<u4'", "False", "(2, 9223372036854775807)"), two),
		"0 dimensions":             npy(1, dict("'<u4'", "False", "()"), two),
		"Python objects":           npy(1, dict("'|O8'", "False", "(2,)"), two),
		"objects have no bytes":    npy(1, dict("'|O'", "False", "(2,)"), two),
		"structured":               npy(1, dict("[('a', '<u4'), ('b]', '<u4')]", "False", "(1,)"), two),
		"no key type":              npy(1, dict("'<f16'", "False", "(1,)"), two),
		"no key type: known are b": npy(1, dict("'>c8'", "False", "(1,)"), two),
		"fixed width":              npy(1, dict("'<u0'", "False", "(4,)"), two),
		"type string":              npy(1, dict("'u'", "False", "(4,)"), two),
		"promises 3 items":         npy(1, dict("'<u4'", "False", "(3,)"), two),
		"4 bytes more":             npy(1, dict("'<u4'", "False", "(1,)"), two),
		"more than any file":       npy(1, dict("'<u4'", "False", "(9223372036854775807,)"), two),
		"unknown key":              npy(1, "{'foo': 'x'}", nil),
		"must all be there":        npy(1, "{'descr': '<u4'}", nil),
		"occurs twice":             npy(1, "{'descr': '<u4', 'descr': '<u4'}", nil),
		"expected a length":        npy(1, dict("'<u4'", "False", "(-2,)"), two),
		"text after":               npy(1, dict("'<u4'", "False", "(2,)")+"x", two),
		"at most":                  npy(2, strings.Repeat(" ", npyMaxHeader+1), nil),
		"a string does not end":    npy(1, "{'descr", nil),
		`expected "False" at "Tru`: npy(1, dict("'<u4'", "Tru", "(2,)"), two),
	} {
		name := filepath.Join(t.TempDir(), "x.npy")
		os.WriteFile(name, file, 0o666)
		for _, in := range []string{name, "-"} {
			s, err := Open(ctx, in, Spec{Kind: NPY, Stdin: bytes.NewReader(file)})
			if err == nil {
				_, err = s.Load(ctx, nil)
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one with %q", err, want)
			}
		}
	}
	it := KeyItem(key.I32)
	if _, err := Open(ctx, "-", Spec{Kind: NPY, Item: &it, Flag: "--type", Stdin: bytes.NewReader(good)}); err == nil || !strings.Contains(err.Error(), "<u4, --type says i32") {
		t.Errorf("error %v", err)
	}
}

func TestRawRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.u32")
	os.WriteFile(name, make([]byte, 11), 0o666)
	it := KeyItem(key.U32)
	for _, in := range []string{name, "-"} {
		s, err := Open(ctx, in, Spec{Kind: Raw, Item: &it, Stdin: bytes.NewReader(make([]byte, 11))})
		if err == nil {
			_, err = s.Load(ctx, nil)
		}
		if err == nil || !strings.Contains(err.Error(), "3 bytes are left over") {
			t.Errorf("error %v", err)
		}
	}
	if _, err := Open(ctx, "-", Spec{Kind: Raw, Flag: "--type", Stdin: nil}); err == nil || !strings.Contains(err.Error(), "give --type") {
		t.Errorf("error %v", err)
	}
	if s, err := Open(ctx, name[:len(name)-4]+".absent", Spec{}); err == nil {
		t.Errorf("opened %v", s)
	}
}

func TestCancelled(t *testing.T) {
	dead, cancel := context.WithCancel(ctx)
	cancel()
	if err := Encode(dead, io.Discard, Raw, filled(key.U8, 9, "uniform"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := ParseText(dead, []byte("1\n"), key.U8, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	it := KeyItem(key.U8)
	s, _ := Open(ctx, "-", Spec{Kind: Raw, Item: &it, Stdin: strings.NewReader("x")})
	if _, err := s.Load(dead, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestWaitingReadEnds cancels while a pipe has nothing to give.
func TestWaitingReadEnds(t *testing.T) {
	waits, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	defer w.Close()
	it := KeyItem(key.U8)
	s, err := Open(waits, "-", Spec{Kind: Raw, Item: &it, Stdin: r})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		w.Write([]byte("x"))
		cancel()
	}()
	if _, err := s.Load(waits, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestParseItem(t *testing.T) {
	for s, want := range map[string]Item{"u32": KeyItem(key.U32), "12": {Opaque: true, Bytes: 12}} {
		if got, err := ParseItem(s); err != nil || got != want {
			t.Errorf("%q: %v %v", s, got, err)
		}
	}
	for _, s := range []string{"", "0", "-1", "12x", "8 9", "u128", "65537"} {
		if got, err := ParseItem(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func FuzzNPY(f *testing.F) {
	f.Add(npy(1, dict("'<u4'", "False", "(2,)"), make([]byte, 8)))
	f.Add(npy(2, dict("[('a', '<u4')]", "True", "(2, 3L)"), make([]byte, 8)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Open(ctx, "-", Spec{Kind: NPY, Stdin: bytes.NewReader(b)})
		if err != nil {
			return
		}
		c, err := s.Load(ctx, nil)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := Encode(ctx, &out, NPY, c, nil); err != nil {
			t.Fatal(err)
		}
		s2, err := Open(ctx, "-", Spec{Kind: NPY, Stdin: &out})
		if err != nil {
			t.Fatal(err)
		}
		if c2, err := s2.Load(ctx, nil); err != nil || !bytes.Equal(c.Data, c2.Data) {
			t.Fatalf("not read back: %v", err)
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add([]byte("1\n-2\n+3\r\n 4"), uint8(7))
	f.Add([]byte("nan(0x1)\n-inf\n1e308\n-0"), uint8(9))
	f.Fuzz(func(t *testing.T, b []byte, ty uint8) {
		k := key.Table()[int(ty)%len(key.Table())].Type
		c, err := ParseText(ctx, b, k, nil)
		if err != nil {
			return
		}
		if k == key.I64 { // strconv as the independent reading
			for i, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
				if v, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); len(b) > 0 && (err != nil || uint64(v) != c.At(i)) {
					t.Fatalf("%q read as %d", line, int64(c.At(i)))
				}
			}
		}
		var out bytes.Buffer
		Encode(ctx, &out, Text, c, nil)
		if c2, err := ParseText(ctx, out.Bytes(), k, nil); err != nil || !bytes.Equal(c.Data, c2.Data) {
			t.Fatalf("not read back: %v", err)
		}
	})
}

func BenchmarkParseText(b *testing.B) {
	var buf bytes.Buffer
	Encode(ctx, &buf, Text, filled(key.U64, 1<<20, "uniform"), nil)
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		if _, err := ParseText(ctx, buf.Bytes(), key.U64, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteText(b *testing.B) {
	c := filled(key.F64, 1<<20, "normal")
	b.SetBytes(8 << 20)
	for b.Loop() {
		Encode(ctx, io.Discard, Text, c, nil)
	}
}

func BenchmarkParseFloats(b *testing.B) {
	var buf bytes.Buffer
	Encode(ctx, &buf, Text, filled(key.F64, 1<<20, "normal"), nil)
	b.SetBytes(int64(buf.Len()))
	for b.Loop() {
		if _, err := ParseText(ctx, buf.Bytes(), key.F64, nil); err != nil {
			b.Fatal(err)
		}
	}
}
