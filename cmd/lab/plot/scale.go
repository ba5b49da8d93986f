package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Scale maps values to pixels.
type Scale struct {
	Lo, Hi float64 // values; above 0 if Log
	Log    bool
	A, B   float64 // pixels of Lo and Hi
}

// At returns the pixel of a value.
func (s Scale) At(v float64) float64 {
	lo, hi := s.Lo, s.Hi
	if s.Log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(max(v, math.SmallestNonzeroFloat64))
	}
	if hi == lo {
		return (s.A + s.B) / 2
	}
	return s.A + (v-lo)/(hi-lo)*(s.B-s.A)
}

// Tick is a labelled value of an axis.
type Tick struct {
	Value float64
	Label string
}

// ticks chooses at most about n labelled values.
func (s Scale) ticks(n int, base2 bool) []Tick {
	var out []Tick
	switch {
	case s.Log && base2:
		out = s.powers(n)
	case s.Log:
		out = s.decades(n)
	default:
		out = s.even(n)
	}
	// Two ends that read alike are one.
	return slices.CompactFunc(out, func(a, b Tick) bool { return a.Label == b.Label })
}

// powers are powers of two.
func (s Scale) powers(n int) (out []Tick) {
	lo, hi := int(math.Ceil(math.Log2(s.Lo)-1e-9)), int(math.Floor(math.Log2(s.Hi)+1e-9))
	step := 1
	for (hi-lo)/step+1 > n {
		step *= 2
	}
	for e := lo; e <= hi; e++ {
		if (e-hi)%step == 0 {
			label := fmt.Sprintf("2^%d", e)
			if e >= 0 && e < 4 {
				label = strconv.Itoa(1 << e)
			}
			out = append(out, Tick{math.Exp2(float64(e)), label})
		}
	}
	if len(out) == 0 {
		return []Tick{{s.Lo, Short(s.Lo)}, {s.Hi, Short(s.Hi)}}
	}
	return out
}

// decades are round multiples of powers of ten, as many as fit; within less than a
// decade, where there are none, multiples of a round step.
func (s Scale) decades(n int) (out []Tick) {
	for _, mul := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		out = out[:0]
		for e := math.Floor(math.Log10(s.Lo)); e <= math.Ceil(math.Log10(s.Hi)); e++ {
			for _, m := range mul {
				if v := m * math.Pow(10, e); v >= s.Lo*(1-1e-9) && v <= s.Hi*(1+1e-9) {
					out = append(out, Tick{v, Short(v)})
				}
			}
		}
		if len(out) <= n {
			break
		}
	}
	if step := (len(out) + n - 1) / n; step > 1 {
		kept := out[:0]
		for i := 0; i < len(out); i += step {
			kept = append(kept, out[i])
		}
		return kept
	}
	if len(out) < 3 {
		if even := s.even(n); len(even) > len(out) {
			return even
		}
	}
	return out
}

// minor are the values that have a short mark without a label: every power of two, or
// the multiples 1 to 9 of powers of ten where they can be told apart.
func (s Scale) minor(base2 bool) (out []float64) {
	if !s.Log || s.Lo <= 0 {
		return nil
	}
	if base2 {
		for e := math.Ceil(math.Log2(s.Lo) - 1e-9); e <= math.Floor(math.Log2(s.Hi)+1e-9); e++ {
			out = append(out, math.Exp2(e))
		}
		return out
	}
	if math.Log10(s.Hi/s.Lo) > 5 {
		return nil
	}
	for e := math.Floor(math.Log10(s.Lo)); e <= math.Ceil(math.Log10(s.Hi)); e++ {
		for m := 1.0; m < 10; m++ {
			if v := m * math.Pow(10, e); v >= s.Lo && v <= s.Hi {
				out = append(out, v)
			}
		}
	}
	return out
}

// clamp is the value, or the end of the axis that it lies beyond.
func (s Scale) clamp(v float64) float64 { return max(s.Lo, min(s.Hi, v)) }

// even are multiples of a round step.
func (s Scale) even(n int) (out []Tick) {
	if s.Hi <= s.Lo || n < 1 {
		return []Tick{{s.Lo, Short(s.Lo)}}
	}
	raw := (s.Hi - s.Lo) / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*step >= raw {
			step *= m
			break
		}
	}
	// One tick gives no scale.
	for math.Floor(s.Hi/step+1e-9)-math.Ceil(s.Lo/step-1e-9) < 1 {
		step /= 2
	}
	for i := math.Ceil(s.Lo/step - 1e-9); i*step <= s.Hi*(1+1e-9); i++ {
		v := i*step + 0 // no −0
		out = append(out, Tick{v, Short(v)})
	}
	return out
}

// Short writes a number with three digits, grouped or with a suffix: 1 250,
// 40M.
func Short(v float64) string {
	if a := math.Abs(v); a >= 999.5 && a < 99950 {
		n := int(round3(v))
		return fmt.Sprintf("%d\u00a0%03d", n/1000, max(n, -n)%1000)
	}
	for _, u := range []struct {
		mul  float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.mul*(1-5e-4) {
			return strconv.FormatFloat(round3(v/u.mul), 'f', -1, 64) + u.name
		}
	}
	return strconv.FormatFloat(round3(v), 'f', -1, 64)
}

// round3 keeps three digits.
func round3(v float64) float64 {
	if v == 0 || !finite(v) {
		return 0
	}
	m := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*m) / m
}
