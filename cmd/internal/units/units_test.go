package units

import (
	"math"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]uint64{
		"0": 0, "1000": 1000, "50M": 50e6, "50m": 0, "2^28": 1 << 28, "1e6": 1e6, "1.5GiB": 3 << 29, "1.5k": 1500,
		"4Ki": 4096, "10KB": 10000, "1_000": 1000, "7B": 7, "18446744073709551615": math.MaxUint64,
		"2^64": 0, "2.5": 0, "": 0, "-1": 0, "abc": 0, "1i": 0, "1.5": 0, "2^": 0, "1e99": 0, "1/2": 0, "0x10": 0, "16EiB": 0,
	} {
		got, err := Parse(s)
		if bad := want == 0 && s != "0"; bad != (err != nil) || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	for want, got := range map[string]string{
		"50,000,000":   Count(50000000),
		"999":          Count(999),
		"1,000":        Count(uint64(1000)),
		"512 B":        Bytes(512),
		"1.50 GiB":     Bytes(3 << 29),
		"1.00 MiB":     Bytes(1<<20 - 1),
		"139 GiB":      Bytes(139 << 30),
		"4.10 Gkeys/s": Rate(41e8, time.Second, "keys"),
		"-":            Rate(1, 0, "keys"),
		"12.3 ms":      Duration(12300 * time.Microsecond),
		"1.00 s":       Duration(999900 * time.Microsecond),
		"2m5s":         Duration(125 * time.Second),
		"5.00 µs":      Duration(5 * time.Microsecond),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("1.5GiB")
	f.Add("2^28")
	f.Fuzz(func(t *testing.T, s string) { Parse(s) })
}
