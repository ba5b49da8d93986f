package table

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gpusort/gpusort/cmd/internal/columns"
)

// textsOf writes a column as CSV and as JSON Lines, and returns the rows without the heading.
func textsOf(t *testing.T, typ arrow.DataType, a arrow.Array) (csv, json []string) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ, Nullable: true}}, nil)
	var out [2]strings.Builder
	c, err := newCSVWriter(&out[0], columns.CSV, schema)
	if err != nil {
		t.Fatal(err)
	}
	j, err := newJSONWriter(&out[1], schema)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBatch(schema, []arrow.Array{a}, int64(a.Len()))
	for _, w := range []interface {
		Write(arrow.RecordBatch) error
		Close() error
	}{c, j} {
		if err := w.Write(b); err != nil {
			t.Fatalf("%v: %v", typ, err)
		}
		w.Close()
	}
	lines := func(i int) []string { return strings.Split(strings.TrimSuffix(out[i].String(), "\n"), "\n") }
	return lines(0)[1:], lines(1)
}

// TestTextValues: times of any zone and year, floats of 16 bits, missing values and what is within
// others come out as their values.
func TestTextValues(t *testing.T) {
	var zoned []arrow.DataType
	for _, zone := range []string{"UTC", "Europe/Berlin", "GMT+1", "Z", "PST", "-0300", "+01:00", "no zone"} {
		zoned = append(zoned, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone})
	}
	halves := make([]float16.Num, 0)
	for _, bits := range []uint16{1, 0x8001, 0x3ff, 0x400, 0x8000, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0x7e00} {
		halves = append(halves, float16.FromBits(bits))
	}
	for _, c := range []struct {
		types     []arrow.DataType
		values    any
		csv, json string
	}{
		{zoned, []arrow.Timestamp{1700000000123456}, "2023-11-14 22:13:20.123456+00", `"2023-11-14T22:13:20.123456Z"`},
		{
			[]arrow.DataType{&arrow.TimestampType{Unit: arrow.Second}}, []arrow.Timestamp{253402300800, -62200000000, 0},
			"10000-01-01 00:00:00 -0002-12-17 14:13:20 1970-01-01 00:00:00", `"10000-01-01T00:00:00" "-0002-12-17T14:13:20" "1970-01-01T00:00:00"`,
		},
		{
			[]arrow.DataType{arrow.FixedWidthTypes.Float16}, halves, "5.9604645e-08 -5.9604645e-08 6.097555e-05 6.1035156e-05 -0 1 65504 inf -inf nan",
			`5.9604645e-8 -5.9604645e-8 0.00006097555 0.000061035156 -0 1 65504 "+Inf" "-Inf" "NaN"`,
		},
		{[]arrow.DataType{arrow.Null}, 2, " ", "null null"},
	} {
		for _, typ := range c.types {
			build := array.NewBuilder(memory.DefaultAllocator, typ)
			list := array.NewListBuilder(memory.DefaultAllocator, typ)
			add := func(n int, one func(array.Builder, int)) {
				for i := range n {
					one(build, i)
					list.Append(true)
					one(list.ValueBuilder(), i)
				}
			}
			switch v := c.values.(type) {
			case []arrow.Timestamp:
				add(len(v), func(b array.Builder, i int) { b.(*array.TimestampBuilder).Append(v[i]) })
			case []float16.Num:
				add(len(v), func(b array.Builder, i int) { b.(*array.Float16Builder).Append(v[i]) })
			case int:
				add(v, func(b array.Builder, i int) { b.AppendNull() })
			}
			csv, json := textsOf(t, typ, build.NewArray())
			var want, nested []string
			for _, w := range strings.Split(c.json, " ") {
				want, nested = append(want, `{"v":`+w+`}`), append(nested, `{"v":[`+w+`]}`)
			}
			if strings.Join(csv, " ") != c.csv || strings.Join(json, "") != strings.Join(want, "") {
				t.Errorf("%v: %q and %q", typ, csv, json)
			}
			if _, json := textsOf(t, list.Type(), list.NewArray()); strings.Join(json, "") != strings.Join(nested, "") {
				t.Errorf("%v: %q", list.Type(), json)
			}
		}
	}
}

// TestOpaque: an extension that says nothing of its values is written as what it is stored as.
func TestOpaque(t *testing.T) {
	typ := extensions.NewOpaqueType(arrow.BinaryTypes.Binary, "point", "maker")
	b := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	b.Append([]byte("x\x00"))
	b.AppendNull()
	csv, json := textsOf(t, typ, array.NewExtensionArrayWithStorage(typ, b.NewArray()))
	if strings.Join(csv, " ") != `x\x00 ` || strings.Join(json, "") != `{"v":"eAA="}{"v":null}` {
		t.Errorf("%q, %q", csv, json)
	}
}

// TestHalf: floats of 16 bits are those of 32 bits that rounding makes the same 16 bits of.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		v := float64(half(uint16(bits)))
		exponent, fraction := bits>>10&0x1f, float64(bits&0x3ff)
		want := math.Ldexp(1024+fraction, exponent-25)
		switch {
		case exponent == 0:
			want = math.Ldexp(fraction, -24)
		case exponent == 0x1f && fraction == 0:
			want = math.Inf(1)
		case exponent == 0x1f:
			want = math.NaN()
		}
		if bits >= 1<<15 {
			want = -want
		}
		if math.IsNaN(want) != math.IsNaN(v) || !math.IsNaN(v) && (v != want || math.Signbit(v) != math.Signbit(want)) {
			t.Fatalf("%#x: %v, want %v", bits, v, want)
		}
	}
}
