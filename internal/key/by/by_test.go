package by

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	name := func(s string) Key { return Key{Name: s, Path: strings.Split(s, ".")} }
	desc := Key{Name: "price", Path: []string{"price"}, Desc: true}
	for text, want := range map[string][]Key{
		"city":                     {name("city")},
		"city,price:desc":          {name("city"), desc},
		"3":                        {{Name: "3", Path: []string{"3"}, Number: 3}},
		`"3"`:                      {name("3")},
		`"a,b:""c"""`:              {name(`a,b:"c"`)},
		"user.age":                 {name("user.age")},
		`user."a.b"`:               {{Name: "user.a.b", Path: []string{"user", "a.b"}}},
		`""`:                       {name("")},
		"x:f64:desc:first":         {{Name: "x", Path: []string{"x"}, Kind: F64, Desc: true, NullsFirst: true}},
		"x:first:asc":              {{Name: "x", Path: []string{"x"}, NullsFirst: true}},
		"d:date=%d.%m.%Y":          {{Name: "d", Path: []string{"d"}, Kind: Date, Layout: "02.01.2006"}},
		`d:time="02.01. 15:04"`:    {{Name: "d", Path: []string{"d"}, Kind: Time, Layout: "02.01. 15:04"}},
		`d:"time=%F, %T":zone=UTC`: {{Name: "d", Path: []string{"d"}, Kind: Time, Layout: "2006-01-02, 15:04:05", Zone: time.UTC}},
	} {
		if got, err := Parse(text, Key{}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	if got, err := Parse("a,b:asc:last", Key{Desc: true, NullsFirst: true}); err != nil || !got[0].Desc || !got[0].NullsFirst || got[1].Desc || got[1].NullsFirst {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                      "no column is named",
		"a,":                    `key 2 of "a,": no column is named`,
		":desc":                 "no column is named",
		"0":                     "the first column is 1",
		"99999999999999999999":  "the first column is 1",
		`"a`:                    "has a quote that nothing closes",
		"a:down":                `"down" is no word of a key: there are number, i64`,
		"a:guess":               "is no word",
		"a:asc:desc":            "asc and desc exclude each other",
		"a:i64:text":            "i64 and text exclude each other",
		"a:first:last":          "first and last exclude each other",
		"a:desc=1":              `leave out "=1"`,
		"a:i64=1":               `leave out "=1"`,
		"a:zone=UTC":            "add the word time",
		"a:time:zone":           "zone needs a name",
		"a:time:zone=Nowhere/X": "zone=Nowhere/X: unknown time zone",
		"a:date=%Q":             "%Q is no part of a time",
		"a:date=%d%":            "a % stands at the end",
		"a:date=dd":             "nothing of a date or time is in it",
	} {
		if _, err := Parse(text, Key{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// key is the key of text in a column of a kind, with its order reversed if the column's is.
func keyOf(t *testing.T, k Key, text string) []byte {
	t.Helper()
	got, err := NewColumn(k, false).Append([]byte("x"), []byte(text), false)
	if err != nil || got[0] != 'x' {
		t.Fatalf("%v %q: %q, %v", k.Kind, text, got, err)
	}
	return got[1:]
}

// TestNumbers: keys of decimals are in the order of the numbers, exactly.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() string {
		digits := func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = "0012345678909"[r.IntN(13)]
			}
			return string(b)
		}
		s := []string{"", "", "-", "+"}[r.IntN(4)] + digits(r.IntN(4)*r.IntN(8)) + "." + digits(1+r.IntN(3)*r.IntN(20))
		if r.IntN(2) == 0 {
			s = strconv.Itoa(r.IntN(200) - 100)
		}
		if r.IntN(4) == 0 {
			s += []string{"e", "E", "e+", "e-"}[r.IntN(4)] + strconv.Itoa(r.IntN(100))
		}
		return s
	}
	for range 20000 {
		a, b := random(), random()
		x, okA := new(big.Rat).SetString(a)
		y, okB := new(big.Rat).SetString(b)
		if !okA || !okB {
			t.Fatal(a, b)
		}
		for _, desc := range []bool{false, true} {
			want := x.Cmp(y)
			if desc {
				want = -want
			}
			k := Key{Kind: Number, Desc: desc}
			if got := bytes.Compare(keyOf(t, k, a), keyOf(t, k, b)); got != want {
				t.Fatalf("%s and %s, desc %v: %d, want %d", a, b, desc, got, want)
			}
		}
	}
	ordered := strings.Fields("nan -inf -1e99999999999999999999 -1e70 -2 -1e-70 -1e-99999999999999999999 0 1e-99999999999999999999 1e-70 1e-62 1e-61 1 1e60 1e61 1e62 1e70 1e99999999999999999999 inf")
	for i := 1; i < len(ordered); i++ {
		if a, b := keyOf(t, Key{Kind: Number}, ordered[i-1]), keyOf(t, Key{Kind: Number}, ordered[i]); bytes.Compare(a, b) >= 0 {
			t.Errorf("%s is not before %s: %x %x", ordered[i-1], ordered[i], a, b)
		}
	}
	before, small := keyOf(t, Key{Kind: Number}, "1e70"), keyOf(t, Key{Kind: Number}, "1e-70")
	for digits := 3; digits <= 45; digits++ {
		e := strings.Repeat("9", digits)
		big, tiny := keyOf(t, Key{Kind: Number}, "1e"+e), keyOf(t, Key{Kind: Number}, "1e-"+e)
		if bytes.Compare(big, before) < 0 || bytes.Compare(tiny, small) > 0 {
			t.Errorf("an exponent of %d digits is not beyond those of one less: %x, %x", digits, big, tiny)
		}
		before, small = big, tiny
	}
	last := Key{Kind: Number, NaNLast: true}
	if bytes.Compare(keyOf(t, last, "NaN"), keyOf(t, last, "+Infinity")) <= 0 {
		t.Error("NaN is not last")
	}
	for _, ties := range []string{"0 -0 0.0 +.0 0e7", "10 1e1 +10. 010.000 100e-1 0.1E2", "-5 -5.0", "nan -NaN"} {
		list := strings.Fields(ties)
		for _, s := range list[1:] {
			if !bytes.Equal(keyOf(t, Key{Kind: Number}, s), keyOf(t, Key{Kind: Number}, list[0])) {
				t.Errorf("%s and %s do not tie", s, list[0])
			}
		}
	}
	for _, s := range strings.Fields(". - + e5 1e 1e+ 1.2.3 1,000 0x10 $5 infin na -- 1_0 ١") {
		if got, err := NewColumn(Key{Kind: Number}, false).Append([]byte("x"), []byte(s), false); err == nil || string(got) != "x" {
			t.Errorf("%q is a number: %q", s, got)
		}
	}
}

// TestFloats: text counts as the nearest float, so that numbers which only that rounds tie.
func TestFloats(t *testing.T) {
	k := Key{Kind: F64}
	for _, ties := range []string{"9007199254740992 9007199254740993 9007199254740992.5", "0 1e-400 2e-324 0e400", "-0 -1e-400", "5e-324 3e-324", "0.1 0.1000000000000000055511151231257827",
		"1.7976931348623157e308 1.7976931348623158e308"} {
		list := strings.Fields(ties)
		for _, s := range list[1:] {
			if !bytes.Equal(keyOf(t, k, s), keyOf(t, k, list[0])) {
				t.Errorf("%s and %s do not tie", s, list[0])
			}
		}
	}
	for _, s := range []string{"1e400", "-1e309", "1.7976931348623159e308"} {
		if _, err := NewColumn(k, false).Append(nil, []byte(s), false); err == nil {
			t.Errorf("%s is taken", s)
		}
	}
}

// TestKinds has, of each kind, values in order, and text that is none.
func TestKinds(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		berlin = time.FixedZone("", 3600)
	}
	for _, c := range []struct {
		k       Key
		ordered string // values, by |
		none    string
	}{
		{Key{Kind: I64}, "-9223372036854775808|-1|0| +7 |8|9223372036854775807", "1.0|x|9223372036854775808"},
		{Key{Kind: U64}, "0|7\t|18446744073709551615", "-1|18446744073709551616"},
		{Key{Kind: F64}, "nan|-inf|-1e300|-1|0|4.9e-324|1.5|1e3|inf", "1e999|a"},
		{Key{Kind: F64, NaNLast: true}, "-inf|1|inf|nan", ""},
		{Key{Kind: Text}, "| a|A|a|a\x00|a\x00b|a\x01|ab|é", ""},
		{Key{Kind: Bool}, "False|TRUE", "2|tru"},
		{Key{Kind: Bool}, "n|Yes", ""},
		{Key{Kind: Date}, "0000-01-01|1969-12-31|1970-01-01|2000-02-29|2000-03-01|9999-12-31", "2001-02-29|2000-13-01|2000-00-01|2000-1-1|2000-01-01x|2000-01-00"},
		{Key{Kind: Date, Layout: "02.01.2006"}, "31.12.1969|01.01.1970|01.02.1999|01.01.2000", "2000-01-01|32.01.2000"},
		{Key{Kind: Time}, "0001-01-01|1969-12-31T23:59:59.999999999Z|1970-01-01|2026-11-27 15:00+02:00|2026-11-27T13:30Z|2026-11-27t14:00:00,5-00:15|2026-11-27T14:15:00.51|2026-12-01T00:00:00+0200",
			"15:00|2026-11-27T24:00|2026-11-27T12|2026-11-27T12:00:0|2026-11-27T12:00:00.|2026-11-27T12:00+1|2026-11-27T12:00+01:0|2026-11-27T12:60|2026-11-27x12:00"},
		{Key{Kind: Time, Zone: berlin}, "2026-01-01T01:00:00|2026-01-01T00:30:00Z|2026-01-01T02:00:00", ""},
		{Key{Kind: Time, Layout: "Jan _2 15:04:05 2006"}, "Feb  1 01:02:03 2001|Jan 10 00:00:00 2002|Jan 10 00:00:00.5 2002", "Feb"},
	} {
		for _, desc := range []bool{false, true} {
			c.k.Desc = desc
			list := strings.Split(c.ordered, "|")
			for i := 1; i < len(list); i++ {
				a, b := keyOf(t, c.k, list[i-1]), keyOf(t, c.k, list[i])
				if desc {
					a, b = b, a
				}
				if bytes.Compare(a, b) >= 0 || bytes.HasPrefix(b, a) {
					t.Errorf("%v, desc %v: %q and %q: %x, %x", c.k.Kind, desc, list[i-1], list[i], a, b)
				}
			}
		}
		for _, s := range strings.Split(c.none, "|") {
			if got, err := NewColumn(c.k, false).Append([]byte("x"), []byte(s), false); c.none != "" && (err == nil || string(got) != "x") {
				t.Errorf("%v: %q is taken: %q", c.k.Kind, s, got)
			}
		}
	}
}

// TestISO compares with package time.
func TestISO(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		want := time.Unix(r.Int64N(2*253402300799)-62167219200, r.Int64N(1e9)).In(time.FixedZone("", (r.IntN(24*4)-48)*900))
		if y := want.Year(); y < 0 || y > 9999 {
			continue
		}
		if got, _, ok := isoTime([]byte(want.Format(time.RFC3339Nano)), nil); !ok || !got.Equal(want) {
			t.Fatalf("%v: %v, %v", want, got, ok)
		}
		date := want.Format(time.DateOnly)
		day, err := time.Parse(time.DateOnly, date)
		if days, _, ok := isoDate([]byte(date)); err != nil || !ok || int64(days)*86400 != day.Unix() {
			t.Fatalf("%s: %d", date, days)
		}
	}
}

// TestPlaces: missing values are at one end, and what is no value is between them and the
// values, in either direction.
func TestPlaces(t *testing.T) {
	for _, desc := range []bool{false, true} {
		for _, first := range []bool{false, true} {
			c := NewColumn(Key{Kind: Number, Desc: desc, NullsFirst: first}, true)
			key := func(s string) []byte {
				k, err := c.Append(nil, []byte(s), true)
				if err != nil {
					t.Error(err)
				}
				return k
			}
			one, two := key("-1e99"), key("1e99")
			if odd, any := c.Odd(); any {
				t.Errorf("%q is odd", odd)
			}
			a, b, null := key("n/a"), key("n/a?"), c.AppendNull(nil)
			if !bytes.Equal(key(" \t"), null) {
				t.Error("blanks are no missing value")
			}
			if odd, any := c.Odd(); !any || odd != "n/a" {
				t.Errorf("%q is odd: %v", odd, any)
			}
			if desc {
				one, two, a, b = two, one, b, a
			}
			want := [][]byte{one, two, a, b, null}
			if first {
				want = [][]byte{null, a, b, one, two}
			}
			for i := 1; i < len(want); i++ {
				if bytes.Compare(want[i-1], want[i]) >= 0 {
					t.Errorf("desc %v, nulls first %v: place %d: %x", desc, first, i, want)
				}
			}
		}
	}
}

// TestNone: text that is no value of a kind that words say is an error.
func TestNone(t *testing.T) {
	for kind, want := range map[Kind]string{Number: `"x" is no number`, Date: `"x" is no date as 2026-01-31`} {
		if _, err := NewColumn(Key{Kind: kind}, false).Append(nil, []byte("x"), true); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	long := strings.Repeat("é", 100)
	_, err := NewColumn(Key{Kind: Time, Layout: "02.01.2006"}, false).Append(nil, []byte(long), true)
	if err == nil || len(err.Error()) > 130 || !strings.HasSuffix(err.Error(), "éé\"… is no time as 02.01.2006") {
		t.Error(err)
	}
}

func TestGuess(t *testing.T) {
	for text, want := range map[string]Kind{
		"": Text, "1||-2.5| 1e3 |inf": Number, "1|x": Text, "nan|inf": Text, "2001-02-03|": Date, "2001-02-03|2001-02-03T04:05": Time,
		"2001-02-03|1": Text, "true|FALSE": Bool, "true|1": Text, "007|08": Number, "1.": Number, "2001-02-30": Text,
	} {
		var g Guesser
		for _, s := range strings.Split(text, "|") {
			g.Add([]byte(s))
		}
		if got := g.Kind(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	price := func(r *rand.Rand) string { return fmt.Sprintf("%.2f", math.Exp(4+r.NormFloat64())) }
	for kind, value := range map[Kind]func(*rand.Rand) string{
		Number: price, F64: price, Text: price,
		I64:  func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1e9)) },
		Date: func(r *rand.Rand) string { return time.Unix(r.Int64N(1e9), 0).Format(time.DateOnly) },
		Time: func(r *rand.Rand) string { return time.Unix(r.Int64N(1e9), 0).Format(time.RFC3339) },
	} {
		b.Run(fmt.Sprint(kind), func(b *testing.B) {
			r := rand.New(rand.NewPCG(5, 6))
			var values [][]byte
			for range 1000 {
				values = append(values, []byte(value(r)))
			}
			c := NewColumn(Key{Kind: kind}, false)
			var dst []byte
			i := 0
			for b.Loop() {
				dst, _ = c.Append(dst[:0], values[i%1000], false)
				i++
			}
		})
	}
}

func TestFind(t *testing.T) {
	names := []string{"id", "Price", "a,b", "x", "x"}
	for _, c := range []struct {
		k   Key
		at  int
		err string
	}{
		{Key{Name: "Price"}, 1, ""},
		{Key{Name: "a,b"}, 2, ""},
		{Key{Name: "4", Number: 4}, 3, ""},
		{Key{Name: "9", Number: 9}, 0, "there is no column 9: there are 5: id, Price, a,b"},
		{Key{Name: "price"}, 0, `there is no column "price" (is it "Price"?): there are id, Price`},
		{Key{Name: "Prise"}, 0, `(is it "Price"?)`},
		{Key{Name: "city"}, 0, `there is no column "city": there are`},
		{Key{Name: "y"}, 0, `there is no column "y": there are`},
		{Key{Name: "ida"}, 0, `(is it "id"?)`},
		{Key{Name: "x"}, 0, "give the number of one, as 4 or 5"},
	} {
		at, err := c.k.Find(names)
		if at != c.at || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %d, %v", c, at, err)
		}
	}
	for _, k := range []Key{{Name: "x"}, {Name: "1", Number: 1}} {
		if _, err := k.Find(nil); err == nil || err.Error() != "there are no columns to sort by" {
			t.Errorf("%+v: %v", k, err)
		}
	}
}
