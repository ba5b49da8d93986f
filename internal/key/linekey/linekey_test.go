package linekey

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spec reads what a test says of an order: global letters, then keys.
func spec(t *testing.T, text string) Spec {
	t.Helper()
	s := Spec{Separator: -1}
	for _, word := range strings.Fields(text) {
		switch {
		case strings.HasPrefix(word, "-t"):
			s.Separator = int(word[2])
		case strings.HasPrefix(word, "-k"):
			k, err := ParseKey(word[2:])
			if err != nil {
				t.Fatal(err)
			}
			s.Keys = append(s.Keys, k)
		default:
			for _, c := range []byte(word[1:]) {
				switch c {
				case 's':
					s.Stable = true
				case 'u':
					s.Unique = true
				default:
					if !s.Global.Set(c) {
						t.Fatalf("no option %c", c)
					}
				}
			}
		}
	}
	return s
}

// keyOf is what a line is compared by.
func keyOf(l Lines, line string) []byte {
	make := l.Encoder()
	if make == nil {
		return []byte(line)
	}
	key, _ := make(nil, []byte(line))
	if l.Tail() {
		key = append(key, line...)
	}
	return key
}

// TestOrder: each line comes before the next one; those joined by = tie.
func TestOrder(t *testing.T) {
	for order, lines := range map[string][]string{
		"-s":            {"", "\x00", "A", "AB", "a"},
		"-r":            {"b", "a\x00", "a", ""},
		"-sf":           {"A=a", "AB=aB", "b"},
		"-sd":           {"a=.a=a.", "a-b=ab"},
		"-si":           {"=\x01=\x7f", "a=\xffa"},
		"-sdi":          {"=-=\xff", "a"},
		"-sb":           {"", "a= a=\ta", "b"},
		"-sM":           {"=x=ja=13", "jan=JANUARY= January", "feb", "Mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"},
		"-sn":           {"-100000000000000000000", "-12", "-1.5=-1.50", "-1", "-0.02", "-.01", "=x=0=-0=.=-=+5=00.00", ".001", ".01", "1=01=1.", "1.05", "1.5", "9", "10", "10.1", "99999999999999999999", "100000000000000000000"},
		"-n":            {"", "+5", "0", "00", "x", "1"},
		"-snr":          {"10", "9", "1.5", "1", "=0", "-1"},
		"-sh":           {"-1M", "-2K", "-1K", "-2", "-1", "=0=0K=x=-0G", "1", "1023", "1K=1k", "2K", "1M", "1G", "1T", "1P", "1E", "1Z", "1Y"},
		"-sg":           {"=x=e5=.", "-nan", "nan=NaN=nan(1)", "-inf", "-1e4000", "-2", "-1e-5", "0=-0=0e9=1e-6000", "4e-4951", "1.157E-4949=1.16646385020239187280908989876e-4949", "1.2E-4949", "1e-4000", ".5=5e-1=0x.8=0x1p-1", "1", "1.5=0x1.8=+1.5", "16=0x10", "9007199254740992", "9007199254740993", "18446744073709551616=18446744073709551617", "1e4000", "inf=1e5000=+Infinity"},
		"-sV":           {"", ".", "..", ".a", ".5", "~", "1", "a~", "a=a0=a00", "a0.txt", "a.txt", "a0b", "a1", "a2", "a10", "aa", "b1", "b-1", "b_"},
		"-s -k2,2":      {"", "x  b=y  b", "z a", "x b=w b c"},
		"-s -k2b,2":     {"", "z a", "x b=y  b=w b c"},
		"-s -t, -k2,2":  {"=x", "a,1=b,1=c,1,x", "a,2"},
		"-s -k1.2,1.3":  {"=a", "xab=yab=zabc", "xac"},
		"-s -k1,1n -k2": {"1 a", "01 b", "1 c", "2 a"},
		"-r -k1,1n":     {"1 b", "1 a", "2 b", "2 a"},
		"-k1,1nr":       {"2 a", "2 b", "1 a", "1 b"},
		"-s -k1,1r -k2": {"b x", "b y", "a x", "a y"},
		"-s -k2,1":      {"a=b=c"},
		"-u -k1,1f":     {"A x=a y", "b"},
	} {
		l := Lines{Schema: spec(t, order).Compile(), Delim: '\n'}
		var before []byte
		for i, group := range lines {
			for j, line := range strings.Split(group, "=") {
				key := keyOf(l, line)
				c := bytes.Compare(before, key)
				if l.Desc() {
					c = -c
				}
				if i+j > 0 && (c >= 0 && j == 0 || c != 0 && j > 0) {
					t.Errorf("sort %s: %q is not right behind what precedes it: %x, %x", order, line, before, key)
				}
				before = key
			}
		}
	}
}

func TestParseKey(t *testing.T) {
	for text, want := range map[string]string{
		"0":     "the first field is 1",
		"":      "the number of the field is missing",
		"1.0":   "the first character is 1",
		"1.":    "the number of the character is missing",
		"1,":    "the number of the field behind the comma is missing",
		"1,0":   "the first field is 1",
		"1x":    `"x" is no option of a key`,
		"1,2.x": "the number of the character behind the comma is missing",
		"-1":    "the number of the field is missing",
	} {
		if _, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	k, err := ParseKey("2.3bn,99999999999999999999.0br")
	if err != nil || k.Field != 1 || k.Char != 2 || k.EndChar != 0 || !k.SkipStart || !k.SkipEnd || !k.Reverse || k.kind() != Numeric {
		t.Errorf("%+v, %v", k, err)
	}
	if k, _ := ParseKey("1,2b"); k.SkipStart || !k.SkipEnd {
		t.Errorf("%+v", k)
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"-nd": "'-nd'", "-ni": "'-ni'", "-nM": "'-nM'", "-gh": "'-gh'", "-nV": "'-nV'", "-k1n,1g": "'-ng'", "-n -k1 -k2V,2h": "'-hV'",
		"-di": "", "-Vd": "", "-Rf": "", "-nf": "", "-RV": "", "-n -k2V": "",
	} {
		err := spec(t, text).Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRandom: equal keys have one place, under one seed the same, whatever is written
// behind them.
func TestRandom(t *testing.T) {
	s := spec(t, "-R")
	order := func(seed byte) string {
		s.Seed[0] = seed
		lines := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
		l := Lines{Schema: s.Compile()}
		slices.SortFunc(lines, func(a, b string) int { return bytes.Compare(keyOf(l, a), keyOf(l, b)) })
		return strings.Join(lines, "")
	}
	first, again := order(1), order(1)
	if first != again || first == order(2) && first == order(3) {
		t.Error(first, again, order(2), order(3))
	}
}

func TestLines(t *testing.T) {
	l := Lines{Schema: Spec{}.Compile(), Delim: '\n'}
	text := []byte("a\n\n\x0a\x0b\x8a\x09 longer than a word\nx\xff\n")
	text = append(text, "rest"...)
	if cut, err := l.Cut(text); cut != len(text)-4 || err != nil {
		t.Errorf("cut at %d of %d: %v", cut, len(text), err)
	}
	for at := range text {
		var want []uint32
		for i, c := range text[at:] {
			if c == '\n' {
				want = append(want, uint32(i+1))
			}
		}
		if got := l.Split(text[at:], nil); !slices.Equal(got, want) {
			t.Errorf("from %d on: %v, want %v", at, got, want)
		}
	}
	for text, want := range map[string]string{"a\n": "", "a": "\n", "": ""} {
		if more, _, err := l.End([]byte(text)); string(more) != want || err != nil {
			t.Errorf("the end of %q: %q, %v", text, more, err)
		}
	}
}

// TestNextBlank: a blank is found at any place, whatever bytes are before it.
func TestNextBlank(t *testing.T) {
	for n := range 20 {
		for c := range 256 {
			for _, other := range []byte{'x', '!', 0x80, 0xa0, 0xff, 0, '\r', 0x1f} {
				line := bytes.Repeat([]byte{other}, 20)
				line[n] = byte(c)
				want := 20
				if blank[byte(c)] {
					want = n
				}
				for at := range 20 {
					if got := nextBlank(line, at); got != want && at <= n || got != 20 && at > n {
						t.Fatalf("%q from %d: %d", line, at, got)
					}
				}
			}
		}
	}
}

// TestSplitLong: lines that are long on the whole are split as short ones are.
func TestSplitLong(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for range 50 {
		var text []byte
		var want []uint32
		most := 1 + r.IntN(200)
		for range r.IntN(6 * fewLines) {
			if r.IntN(200) == 0 {
				most = 1 + r.IntN(200)
			}
			text = append(append(text, bytes.Repeat([]byte{'x'}, r.IntN(most))...), 0)
			want = append(want, uint32(len(text)))
		}
		text = append(text, "rest\n"[:r.IntN(6)]...)
		if got := (Lines{Delim: 0}).Split(text, nil); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestFieldsTogether: where a key's field begins does not hang on the keys before it.
func TestFieldsTogether(t *testing.T) {
	keys := []string{"-k1,1", "-k2,3", "-k3.2b,5.1", "-k4", "-k2.3,1", "-k6,6n"}
	for _, separator := range []string{"", "-t, "} {
		for _, line := range []string{"", "a", " a  b\tc,d,,e,f g", "1 2 3 4 5 6 7", ",,,,5,6,7", "a,b,c,d,e,6 b c d e 8 f"} {
			for _, a := range keys {
				for _, b := range keys {
					for _, c := range keys {
						l := func(keys string) Lines { return Lines{spec(t, separator+keys+" -s").Compile(), '\n'} }
						got := keyOf(l(a+" "+b+" "+c+" -k1,1M"), line)
						var want []byte
						for _, k := range []string{a, b, c} {
							one := keyOf(l(k+" -k1,1M"), line)
							want = append(want, one[:len(one)-1]...)
						}
						if !bytes.Equal(got[:len(got)-1], want) {
							t.Fatalf("%s%s %s %s of %q: %q, want %q", separator, a, b, c, line, got, want)
						}
					}
				}
			}
		}
	}
}

// TestFold: small letters of any place become capital ones, all other bytes stay.
func TestFold(t *testing.T) {
	for n := range 20 {
		for c := range 256 {
			for _, other := range []byte{'x', 'A', 0, 0x7f, 0x80, 0xe1, 0xff} {
				line := bytes.Repeat([]byte{other}, 20)
				line[n] = byte(c)
				want := bytes.Clone(line)
				for i, b := range want {
					want[i] = byte(mapped(b, true, false, false))
				}
				if fold(line); !bytes.Equal(line, want) {
					t.Fatalf("%#x among %#x: %q, want %q", c, other, line, want)
				}
			}
		}
	}
}

// TestAppendText: every text has the key that escaping it byte by byte gives, whatever lies
// before and behind it.
func TestAppendText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := []byte{0, 1, 2, 'a', 'z', 'A', '`', '{', 0x7f, 0x80, 0xe1, 0xff}
	for range 200_000 {
		b := make([]byte, 24)
		rare := r.IntN(8)
		for i := range b {
			if b[i] = some[r.IntN(len(some))]; b[i] < 2 && r.IntN(8) < rare {
				b[i] = 'q'
			}
		}
		from := r.IntN(len(b))
		text := b[from : from+r.IntN(len(b)-from+1)]
		folded := r.IntN(2) == 0
		want := []byte("key")
		for _, c := range text {
			if folded {
				c = byte(mapped(c, true, false, false))
			}
			if c < 2 {
				want = append(want, 1)
				c++
			}
			want = append(want, c)
		}
		want = append(want, 0)
		before := bytes.Clone(b)
		if got := appendText([]byte("key"), text, folded); !bytes.Equal(got, want) {
			t.Fatalf("%q of %q, folded %v: %q, want %q", text, b, folded, got, want)
		}
		if !bytes.Equal(b, before) {
			t.Fatalf("%q was %q", b, before)
		}
	}
}

// TestCased: keys of whole lines that are folded order lines as their folded texts do, and by their
// bytes where these tie.
func TestCased(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	some := []byte{0, 1, 2, 'a', 'z', 'A', 'Z', '@', '[', '`', '{', 'm', 'M', 0xe1}
	for _, flags := range []string{"-f", "-fr", "-k1f", "-k1fr", "-k1f -r", "-k1f -k1fr"} {
		c := spec(t, flags).Compile()
		reversed, all := flags == "-fr" || flags == "-k1fr", flags == "-fr" || flags == "-k1f -r"
		if c.Tail() != (flags == "-k1f -k1fr") || c.Desc() != all {
			t.Fatalf("%s: tail %v, desc %v", flags, c.Tail(), c.Desc())
		}
		if c.Tail() {
			continue
		}
		encode := Lines{c, '\n'}.Encoder()
		line := func() []byte {
			b := make([]byte, 40)
			for i := range b {
				b[i] = some[r.IntN(len(some))]
			}
			from := r.IntN(len(b))
			return b[from : from+r.IntN(len(b)-from+1)]
		}
		for range 50_000 {
			a, b := line(), line()
			if r.IntN(4) > 0 { // the same but for some letters
				b = bytes.Clone(a)
				for range r.IntN(3) {
					if i := r.IntN(len(b) + 1); i < len(b) && b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z' {
						b[i] ^= 0x20
					}
				}
			}
			x, y := bytes.Clone(a), bytes.Clone(b)
			fold(x)
			fold(y)
			want := bytes.Compare(x, y)
			if reversed != all {
				want = -want
			}
			if want == 0 {
				want = bytes.Compare(a, b)
			}
			ka, _ := encode(nil, a)
			kb, _ := encode(nil, b)
			if got := bytes.Compare(ka, kb); got != want {
				t.Fatalf("%s: %q to %q: %d, want %d", flags, a, b, got, want)
			}
		}
	}
}
