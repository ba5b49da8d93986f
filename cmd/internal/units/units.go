// Package units reads and writes sizes, counts, rates and durations as people
// type and read them.
package units

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
)

var (
	power  = lazy.Regexp(`^(\d{1,4})\^(\d{1,3})$`)
	number = lazy.Regexp(`^(\d+(?:\.\d+)?(?:[eE]\d{1,2})?)([kKMGTPE]?)(i?)([bB]?)$`)
)

// Parse reads a count or a number of bytes: 1000, 50M, 2^28, 1e6, 1.5GiB.
// k, M, G, T, P, E are powers of 1000; with an i (Ki, Mi, …) powers of 1024; a
// final B changes nothing. The result must be a whole number below 2^64.
func Parse(s string) (uint64, error) {
	t := strings.ReplaceAll(strings.TrimSpace(s), "_", "")
	v := new(big.Rat)
	if m := power().FindStringSubmatch(t); m != nil {
		base, _ := new(big.Int).SetString(m[1], 10)
		exp, _ := new(big.Int).SetString(m[2], 10)
		v.SetInt(base.Exp(base, exp, nil))
	} else if m := number().FindStringSubmatch(t); m != nil && (m[2] != "" || m[3] == "") {
		v.SetString(m[1])
		step := int64(1000)
		if m[3] != "" {
			step = 1024
		}
		exp := int64(strings.Index(" KMGTPE", strings.ToUpper(m[2])))
		if m[2] == "" {
			exp = 0
		}
		v.Mul(v, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(step), big.NewInt(exp), nil)))
	} else {
		return 0, fmt.Errorf("%q is no size: write 1000, 50M, 2^28, 1e6 or 1.5GiB", s)
	}
	if !v.IsInt() {
		return 0, fmt.Errorf("%q is not a whole number", s)
	}
	if !v.Num().IsUint64() {
		return 0, fmt.Errorf("%q is not below 2^64", s)
	}
	return v.Num().Uint64(), nil
}

// Count writes n with a comma after every three digits.
func Count[N ~int | ~int64 | ~uint64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	if n < 0 {
		return strconv.FormatInt(int64(n), 10)
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bytes writes n with a binary unit and three digits: 512 B, 1.50 GiB.
func Bytes(n uint64) string {
	v, i := float64(n), 0
	names := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for v >= 1023.5 && i < len(names)-1 {
		v, i = v/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return three(v) + " " + names[i]
}

// Rate writes n things of the given unit done in d, per second: 4.10 Gkeys/s.
func Rate(n uint64, d time.Duration, unit string) string {
	if d <= 0 {
		return "-"
	}
	v, i := float64(n)/d.Seconds(), 0
	names := []string{"", "k", "M", "G", "T"}
	for v >= 999.5 && i < len(names)-1 {
		v, i = v/1000, i+1
	}
	return three(v) + " " + names[i] + unit + "/s"
}

// Duration writes d with three digits and one unit: 12.3 ms.
func Duration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s >= 60:
		return d.Round(time.Second).String()
	case s >= 0.9995:
		return three(s) + " s"
	case s >= 0.9995e-3:
		return three(s*1e3) + " ms"
	default:
		return three(s*1e6) + " µs"
	}
}

func three(v float64) string {
	switch {
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
