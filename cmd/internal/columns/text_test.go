package columns

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/key/by"
)

// found is the type of a column of values.
func found(values ...string) Type {
	t := NewText(nil, []string{"c"}, nil, true)
	for _, v := range values {
		if err := t.see([][]byte{[]byte(v)}); err != nil {
			panic(err)
		}
	}
	_, typ := t.Column(0)
	return typ
}

// TestFound: a column has a type only if that gives back each of its values.
func TestFound(t *testing.T) {
	for values, want := range map[string]Type{
		"": String, "0|-1|9223372036854775807|-9223372036854775808": Int64, "9223372036854775808|0": Uint64, "9223372036854775808|-1": String,
		"18446744073709551615": Uint64, "18446744073709551616": String, "100000000000000000000": Float64, "1|2.5": Float64,
		"007": String, "007|1": String, "00.5": String, "-007": String, "+1": String, "1 ": String, " 1": String, "1,000": String, "1_0": String, "0x10": String, "1.": String, ".": String, "-": String,
		"0": Int64, "-0": Float64, "-0.0|1": Float64, ".5|-.5": Float64, "1e5|2": Float64, "1E+5": Float64, "1e": String, "1e+": String, "1e5x": String, "1e400": String, "1e-400": String, "4.9e-324": Float64,
		"0.1|0.30": Float64, "123456789012345.6": Float64, "0.1234567890123456789": String, "0.10000000000000001": Float64, "9007199254740993|0.5": String, "9007199254740992|0.5": Float64, "12345678901234567.8": String,
		"nan": String, "nan|inf": String, "nan|1|-inf|Infinity": Float64, "NaN|7": Float64, "-nan|1": Float64, "-true": String, "infinit|1": String,
		"true|False|TRUE": Bool, "true|1": String, "t": String, "yes": String,
		"2026-01-31|1999-12-01": Date, "2026-02-30": String, "2026-01-31|": String, "2026-1-31": String, "2026-01-31|2026-01-31T10:00:00": String, "2026-01-31 ": String,
		"2026-01-31T10:00|2026-01-31 10:00:01.5": Micros, "2026-01-31T10:00:00Z": UTCMicros, "2026-01-31T10:00:00+00:00|2026-01-31 10:00:00z": UTCMicros, "2026-01-31T10:00:00+01:00": String,
		"2026-01-31T10:00:00Z|2026-01-31T10:00:00": String, "2026-01-31T10:00:00.1234567": Nanos, "2026-01-31T10:00:00.1234567Z|2026-01-31T10:00:00Z": UTCNanos, "2026-01-31T10:00:00.1234567890": String,
		"2026-01-31T10:00:00.123456000": Micros, "0001-01-01T00:00:00": Micros, "0001-01-01T00:00:00|2026-01-31T10:00:00.1234567": String, "2026-01-31T23:59:60": String, "2026-01-31T10:00:00 ": String,
		"a|1": String, "1|\xff": Binary, "\xff\xfe": Binary, "a|é": String, "2026-01-31x": String, "2026-\xff1-31": Binary, "tru\xff": Binary,
	} {
		if got := found(strings.Split(values, "|")...); got != want {
			t.Errorf("%q: %v, want %v", values, got, want)
		}
	}
	if got := found(); got != String {
		t.Errorf("no values: %v", got)
	}
}

// TestSaid: what is said holds, and the rest of the type is found: zones and units of times.
func TestSaid(t *testing.T) {
	berlin := time.FixedZone("B", 3600)
	for _, c := range []struct {
		k      by.Key
		values string
		want   Type
		err    string
	}{
		{by.Key{Kind: by.Text}, "1|2", String, ""}, {by.Key{Kind: by.Text}, "\xff", Binary, ""}, {by.Key{Kind: by.I64}, "007|+1| 3 ||  ", Int64, ""},
		{by.Key{Kind: by.F64}, "1|0.1234567890123456789", Float64, ""}, {by.Key{Kind: by.F64}, "1e-400|9007199254740993", Float64, ""},
		{by.Key{Kind: by.F64}, "1e400", 0, `column c: "1e400" is no f64`}, {by.Key{Kind: by.F64}, "x", 0, `column c: "x" is no f64`}, {by.Key{Kind: by.U64}, "-1", 0, "is no u64"},
		{by.Key{Kind: by.Bool}, "yes|0|T", Bool, ""}, {by.Key{Kind: by.Date, Layout: "02.01.2006"}, "31.12.1999", Date, ""},
		{by.Key{Kind: by.Time}, "2026-01-01|2026-01-01T01:00", Micros, ""}, {by.Key{Kind: by.Time}, "2026-01-01|2026-01-01T01:00+01", UTCMicros, ""},
		{by.Key{Kind: by.Time, Zone: berlin}, "2026-01-01", UTCMicros, ""}, {by.Key{Kind: by.Time}, "2026-01-01T01:00:00.1234567", Nanos, ""},
		{by.Key{Kind: by.Time, Layout: "2006 15 -0700"}, "1999 10 +0100", UTCMicros, ""}, {by.Key{Kind: by.Time, Layout: "2006 15"}, "1999 10", Micros, ""},
	} {
		text := NewText(nil, []string{"c"}, map[int]by.Key{0: c.k}, true)
		var err error
		for _, v := range strings.Split(c.values, "|") {
			if err == nil {
				err = text.see([][]byte{[]byte(v)})
			}
		}
		if _, typ := text.Column(0); err == nil && typ != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v %q: %v, %v, want %v %s", c.k.Kind, c.values, typ, err, c.want, c.err)
		}
	}
	text := NewText(nil, []string{"c"}, nil, false)
	if _, typ := text.Column(0); typ != String {
		t.Errorf("what is not to be found is %v", typ)
	}
}

// TestComesBack: the types of random numbers give their digits back.
func TestComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	types := map[Type]int{}
	for range 50000 {
		s := ""
		for range 1 + r.IntN(3)*r.IntN(11) {
			s += strconv.Itoa(r.IntN(10))
		}
		if r.IntN(2) == 0 {
			at := r.IntN(len(s) + 1)
			s = s[:at] + "." + s[at:]
		}
		if r.IntN(4) == 0 {
			s += fmt.Sprintf("e%d", r.IntN(700)-350)
		}
		if r.IntN(3) == 0 {
			s = "-" + s
		}
		typ := found(s)
		types[typ]++
		switch typ {
		case Int64, Uint64:
			if n, ok := new(big.Int).SetString(s, 10); !ok || n.String() != s || n.IsInt64() != (typ == Int64) {
				t.Fatalf("%s is %v", s, typ)
			}
		case Float64:
			exact, ok := new(big.Rat).SetString(s)
			v, err := strconv.ParseFloat(s, 64)
			if !ok || err != nil {
				t.Fatalf("%s is %v", s, typ)
			}
			mantissa, _, _ := strings.Cut(s, "e")
			digits := len(strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(mantissa), "0"))
			back, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'e', max(digits, 1)-1, 64))
			if digits > 17 || back.Cmp(exact) != 0 {
				t.Fatalf("%s is %v, and comes back as %v", s, typ, v)
			}
		}
	}
	for _, typ := range []Type{Int64, Uint64, Float64, String} {
		if types[typ] < 10 {
			t.Errorf("%d numbers are %v", types[typ], typ)
		}
	}
}

// BenchmarkSee is what finding the types costs a row of eight fields.
func BenchmarkSee(b *testing.B) {
	row := bytes.Split([]byte("144272509,Montevideo,23.74,2026-08-16,nu_eta,-942,N,9b810e766ec9d286"), []byte(","))
	t := NewText(nil, make([]string, len(row)), nil, true)
	for b.Loop() {
		if err := t.see(row); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkComesBack is what a number costs of which the short forms do not tell that it is a float.
func BenchmarkComesBack(b *testing.B) {
	for _, s := range []string{"0.8444218515250481", "-12.444218515250481", "1.25e-7"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fitsOf([]byte(s), fitsAll)
			}
		})
	}
}
