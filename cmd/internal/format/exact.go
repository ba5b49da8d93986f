package format

import (
	"bytes"
	"math"
	"math/big"
	"strconv"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/internal/key"
)

// exact says what is lost when the text s, which is a number, is read as v: a number
// that is not 0 but becomes 0, or an integer that becomes another. Fractions and
// numbers with an exponent are rounded as ever.
func exact(s []byte, v float64, t key.Type) error {
	if v == 0 {
		return zero(s)
	}
	// Integers of so few digits are all floats.
	safe := 15
	if t == key.F32 {
		safe = 7
	}
	if len(s) <= safe {
		return nil
	}
	whole, fraction, _ := bytes.Cut(bytes.TrimLeft(s, "+-"), []byte{'.'})
	whole = bytes.TrimLeft(whole, "0")
	if len(whole) <= safe || len(bytes.Trim(fraction, "0")) > 0 || len(bytes.Trim(whole, "0123456789")) > 0 {
		return nil
	}
	// Its digits are those of the float, or the fewest that mean it, as we write them.
	var buf [400]byte
	for _, digits := range []int{0, -1} {
		if bytes.Equal(whole, strconv.AppendFloat(buf[:0], math.Abs(v), 'f', digits, t.Bits())) {
			return nil
		}
	}
	return errInexact
}

// zero returns errSmall unless the text s is a zero.
func zero(s []byte) error {
	digits, end := bytes.TrimLeft(s, "+-"), "eE"
	if len(digits) > 1 && digits[1]|0x20 == 'x' {
		digits, end = digits[2:], "pP"
	}
	if i := bytes.IndexAny(digits, end); i >= 0 {
		digits = digits[:i]
	}
	if len(bytes.Trim(digits, "0.")) > 0 {
		return errSmall
	}
	return nil
}

// loose is an integer in hexadecimal, or decimal with a fraction or an exponent of
// so few digits that its value is small enough to compute.
var loose = lazy.Regexp(`^([+-]?)(?:0[xX]([0-9a-fA-F]+)|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?))$`)

// parseLoose reads an integer as people write it elsewhere: 1e5, 2.5e3, 12.0, 0x10.
func parseLoose(s []byte, t key.Type) (uint64, error) {
	m := loose().FindSubmatch(s)
	if m == nil {
		return 0, errNoNumber
	}
	v := new(big.Int)
	if len(m[2]) > 0 {
		v.SetString(string(m[2]), 16)
	} else {
		r, ok := new(big.Rat).SetString(string(m[3]))
		if !ok || !r.IsInt() {
			return 0, errNoNumber
		}
		v = r.Num()
	}
	if !v.IsUint64() {
		return 0, errRange
	}
	return integer(string(m[1]) == "-", v.Uint64(), t)
}
