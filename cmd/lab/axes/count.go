package axes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var suffixes = []struct {
	text string
	mul  uint64
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"K", 1e3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9},
}

// ParseCount reads a number of items: "1000", "1_000", "2^28", "50M" (10^6),
// "1.5G" or "64Ki" (2^10).
func ParseCount(s string) (uint64, error) {
	bad := fmt.Errorf("%q is no count: write 1000, 2^28, 50M or 64Ki", s)
	if e, ok := strings.CutPrefix(s, "2^"); ok {
		n, err := strconv.ParseUint(e, 10, 8)
		if err != nil || n > 63 {
			return 0, bad
		}
		return 1 << n, nil
	}
	body, mul := strings.ReplaceAll(s, "_", ""), uint64(1)
	for _, x := range suffixes {
		if b, ok := strings.CutSuffix(body, x.text); ok {
			body, mul = b, x.mul
			break
		}
	}
	if n, err := strconv.ParseUint(body, 10, 64); err == nil {
		if n > math.MaxUint64/mul {
			return 0, bad
		}
		return n * mul, nil
	}
	f, err := strconv.ParseFloat(body, 64)
	if err != nil || strings.ContainsAny(body, "eExXpPnN-+") {
		return 0, bad
	}
	if f *= float64(mul); f < 0 || f > 1<<62 || f != math.Trunc(f) {
		return 0, bad
	}
	return uint64(f), nil
}

// FormatCount writes n as a power of two from 16 on, else in decimal.
func FormatCount(n uint64) string {
	if n >= 16 && n&(n-1) == 0 {
		e := 0
		for ; n > 1; n >>= 1 {
			e++
		}
		return "2^" + strconv.Itoa(e)
	}
	return strconv.FormatUint(n, 10)
}
