package linekey

import (
	"bytes"
	"math/big"
	"strconv"
)

// A float's key is its class; of finite ones other than zero, the decimal exponent
// and the digits, two a byte, with an end. Of a negative one all is complemented.
const (
	noNumber    = 0x10
	negativeNaN = 0x11
	positiveNaN = 0x12
	negativeInf = 0x13
	zeroFloat   = 0x80
	positive    = 0xc0
	positiveInf = 0xd0
)

const (
	// exactDigits is how many decimal digits a long double always holds: decimals of no
	// more are equal exactly if their long doubles are.
	exactDigits = 18
	// plainExponent bounds the decimal exponents of long doubles that are neither
	// infinite nor denormal; beyond most, each is infinite or zero.
	plainExponent = 4900
	mostExponent  = 5000
	// keptDigits is more than any decimal halfway between two long doubles has.
	keptDigits = 20000
)

// decimal is 0.digits × 10^exponent; without digits it is zero.
type decimal struct {
	digits   []byte // neither first nor last is 0
	exponent int64
	negative bool
}

// appendGeneral appends the float that text begins with, by strtold's rules in the C
// locale and with x86-64's long double: a decimal that a long double does not hold
// counts as the nearest one.
func appendGeneral(dst, text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0]-'\t' < 5) {
		text = text[1:]
	}
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	switch {
	case len(text) == 0 || text[0] == '.' || text[0]-'0' < 10 && !isHex(text): // most are
	case hasWord(text, "nan"):
		if negative {
			return append(dst, negativeNaN)
		}
		return append(dst, positiveNaN)
	case hasWord(text, "inf"):
		return appendInf(dst, negative)
	case isHex(text):
		if x, ok := parseHex(text[2:]); ok {
			return appendFloat(dst, x, negative)
		}
	}
	var buf [48]byte
	d, ok := parseDecimal(text, buf[:0])
	if !ok {
		return append(dst, noNumber)
	}
	d.negative = negative
	switch {
	case len(d.digits) == 0 || d.exponent < -mostExponent:
		return append(dst, zeroFloat)
	case d.exponent > mostExponent:
		return appendInf(dst, negative)
	case len(d.digits) <= exactDigits && -plainExponent < d.exponent && d.exponent < plainExponent:
		return appendDecimal(dst, d)
	}
	return appendFloat(dst, d.rat(), negative)
}

// isHex reports whether text begins as hexadecimal digits do.
func isHex(text []byte) bool { return len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x' }

func appendInf(dst []byte, negative bool) []byte {
	if negative {
		return append(dst, negativeInf)
	}
	return append(dst, positiveInf)
}

func appendDecimal(dst []byte, d decimal) []byte {
	begin := len(dst)
	e := uint16(d.exponent + 1<<15)
	dst = append(appendDigits(append(dst, positive, byte(e>>8), byte(e)), d.digits), numberEnd)
	if d.negative {
		complement(dst[begin:])
	}
	return dst
}

// appendFloat rounds x to a long double and appends the shortest decimal that is
// rounded to the same: of decimals with few digits, themselves.
func appendFloat(dst []byte, x *big.Rat, negative bool) []byte {
	f := longDouble(x)
	if f == nil {
		return appendInf(dst, negative)
	}
	if f.Sign() == 0 {
		return append(dst, zeroFloat)
	}
	d, _ := parseDecimal(f.Append(nil, 'e', -1), nil)
	d.negative = negative
	return appendDecimal(dst, d)
}

// The mantissa bits and binary exponents of an x86-64 long double.
const (
	mantissaBits = 64
	leastBinary  = -16381 // of the least normal number as 0.1… × 2^e
	mostBinary   = 16384
)

// longDouble returns the long double nearest to x ≥ 0, nil for infinity.
func longDouble(x *big.Rat) *big.Float {
	f := new(big.Float).SetPrec(mantissaBits).SetRat(x)
	if f.Sign() == 0 {
		return f
	}
	e := f.MantExp(nil)
	if e > mostBinary {
		return nil
	}
	if e >= leastBinary {
		return f
	}
	// Denormal numbers have the fewer bits the smaller they are.
	bits := mantissaBits - (leastBinary - e)
	if bits >= 1 {
		f = new(big.Float).SetPrec(uint(bits)).SetRat(x)
		// What is rounded up to a power of two has one bit more.
		return f.SetPrec(uint(mantissaBits - (leastBinary - f.MantExp(nil))))
	}
	least := new(big.Float).SetMantExp(big.NewFloat(0.5), leastBinary-mantissaBits+1)
	half := new(big.Float).SetMantExp(least, -1)
	exact, _ := half.Rat(nil)
	if x.Cmp(exact) > 0 {
		return least.SetPrec(1)
	}
	return new(big.Float)
}

// hasWord reports whether text begins with a lower-case word in any case.
func hasWord(text []byte, word string) bool {
	return len(text) >= len(word) && bytes.EqualFold(text[:len(word)], []byte(word))
}

// parseDecimal reads digits, a point and an exponent. It appends the digits that count
// to buf. It reports whether there was any digit.
func parseDecimal(text, buf []byte) (d decimal, ok bool) {
	at, point := 0, false
	last := 0 // digits up to the last that is not 0
	for ; at < len(text); at++ {
		c := text[at]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c-'0' >= 10:
		default:
			ok = true
			if c == '0' && len(buf) == 0 {
				if point {
					d.exponent--
				}
				continue
			}
			if !point {
				d.exponent++
			}
			if len(buf) < keptDigits {
				buf = append(buf, c)
			} else if c != '0' {
				buf[keptDigits-1] = '1' // more than nothing follows
			}
			if c != '0' {
				last = len(buf)
			}
			continue
		}
		break
	}
	if !ok {
		return d, false
	}
	d.digits = buf[:last]
	if at+1 < len(text) && text[at]|0x20 == 'e' {
		if e, found := parseExponent(text[at+1:]); found {
			d.exponent += e
		}
	}
	return d, true
}

// parseExponent reads a signed number, and bounds it to what decides all the same.
func parseExponent(text []byte) (e int64, ok bool) {
	negative := false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		text = text[1:]
	}
	for ; len(text) > 0 && text[0]-'0' < 10; text = text[1:] {
		ok = true
		e = min(e*10+int64(text[0]-'0'), 1<<50)
	}
	if negative {
		e = -e
	}
	return e, ok
}

// rat is the decimal's value without its sign.
func (d decimal) rat() *big.Rat {
	n, _ := new(big.Int).SetString(string(d.digits), 10)
	shift := d.exponent - int64(len(d.digits))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(shift, -shift)), nil)
	if shift >= 0 {
		return new(big.Rat).SetInt(n.Mul(n, power))
	}
	return new(big.Rat).SetFrac(n, power)
}

// parseHex reads hexadecimal digits, a point and a binary exponent. It reports whether
// there was any digit.
func parseHex(text []byte) (*big.Rat, bool) {
	var digits []byte
	point, ok, exponent := false, false, int64(0)
	at := 0
	for ; at < len(text); at++ {
		if c := text[at]; c == '.' && !point {
			point = true
			continue
		}
		if _, err := strconv.ParseUint(string(text[at]), 16, 8); err != nil {
			break
		}
		ok = true
		if len(digits) < keptDigits {
			if digits = append(digits, text[at]); point {
				exponent -= 4
			}
		} else if !point {
			exponent += 4
		}
	}
	if !ok {
		return nil, false
	}
	if at+1 < len(text) && text[at]|0x20 == 'p' {
		if e, found := parseExponent(text[at+1:]); found {
			exponent += e
		}
	}
	n, _ := new(big.Int).SetString(string(digits), 16)
	exponent = min(max(exponent, -1<<18), 1<<18)
	if n.Sign() == 0 {
		return new(big.Rat), true
	}
	power := new(big.Int).Lsh(big.NewInt(1), uint(max(exponent, -exponent)))
	if exponent >= 0 {
		return new(big.Rat).SetInt(n.Mul(n, power)), true
	}
	return new(big.Rat).SetFrac(n, power), true
}
