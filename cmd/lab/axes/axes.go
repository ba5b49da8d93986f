// Package axes parses benchmark axes in nvbench's notation and multiplies them
// into cells.
//
// An axis is NAME=VALUES or NAME[pow2]=VALUES. VALUES is one value, a list
// "[a,b,c]" or an inclusive range "[start:stop]" or "[start:stop:step]"; lists
// may hold ranges. On a [pow2] axis every value is an exponent of two. A value
// that is not part of a range is text: the axis' reader gives it a meaning.
package axes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits against a mistyped range: values of one axis, cells of all axes.
const (
	MaxValues = 1 << 12
	MaxCells  = 1 << 20
)

// Axis is one parameter and the values that it takes.
type Axis struct {
	Name string
	// Pow2 says that the values are exponents of two.
	Pow2   bool
	Values []string
}

// Parse reads one axis. The error names the text and what was expected.
func Parse(text string) (Axis, error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok {
		return Axis{}, fmt.Errorf("axis %q: want NAME=VALUE, NAME=[a,b] or NAME[pow2]=[start:stop:step]", text)
	}
	a := Axis{Name: strings.TrimSpace(name)}
	if n, flags, ok := strings.Cut(a.Name, "["); ok {
		flags, closed := strings.CutSuffix(flags, "]")
		switch f := strings.TrimSpace(flags); {
		case !closed || f != "pow2" && f != "":
			return Axis{}, fmt.Errorf("axis %q: after the name only [pow2] may stand", text)
		case f == "pow2":
			a.Pow2 = true
		}
		a.Name = strings.TrimSpace(n)
	}
	if !validName(a.Name) {
		return Axis{}, fmt.Errorf("axis %q: the name %q must be letters, digits, '-' or '_'", text, a.Name)
	}
	list = strings.TrimSpace(list)
	if inner, ok := strings.CutPrefix(list, "["); ok {
		if list, ok = strings.CutSuffix(inner, "]"); !ok {
			return Axis{}, fmt.Errorf("axis %q: the list has no closing ]", text)
		}
	}
	for _, item := range strings.Split(list, ",") {
		vs, err := values(strings.TrimSpace(item))
		if err != nil {
			return Axis{}, fmt.Errorf("axis %q: %w", text, err)
		}
		a.Values = append(a.Values, vs...)
		if len(a.Values) > MaxValues {
			return Axis{}, fmt.Errorf("axis %q: more than %d values", text, MaxValues)
		}
	}
	if a.Pow2 {
		for _, v := range a.Values {
			if e, err := strconv.Atoi(v); err != nil || e < 0 || e > 63 {
				return Axis{}, fmt.Errorf("axis %q: %q is no exponent of two from 0 to 63", text, v)
			}
		}
	}
	return a, nil
}

func validName(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
		default:
			return false
		}
	}
	return s != ""
}

// values expands one item of a list: a range or a plain value.
func values(item string) ([]string, error) {
	if item == "" || strings.ContainsAny(item, "[]=") {
		return nil, fmt.Errorf("%q is no value", item)
	}
	parts := strings.Split(item, ":")
	if len(parts) == 1 {
		return []string{item}, nil
	}
	if len(parts) > 3 {
		return nil, fmt.Errorf("range %q: want start:stop or start:stop:step", item)
	}
	num := [3]float64{2: 1}
	decimals := 0
	for i, p := range parts {
		p = strings.TrimSpace(p)
		v, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || math.Abs(v) > 1<<53 || strings.ContainsAny(p, "eExX_pP") {
			return nil, fmt.Errorf("range %q: %q is no plain number", item, p)
		}
		num[i] = v
		if _, frac, ok := strings.Cut(p, "."); ok {
			if decimals = max(decimals, len(frac)); decimals > 9 {
				return nil, fmt.Errorf("range %q: %q has more than 9 decimals", item, p)
			}
		}
	}
	start, stop, step := num[0], num[1], num[2]
	if step <= 0 || stop < start {
		return nil, fmt.Errorf("range %q: the stop lies below the start or the step is not positive", item)
	}
	// The last value counts as reached within a thousandth of a step, because
	// 0.1-like steps are not exact in binary.
	count := math.Floor((stop-start)/step + 1e-3)
	if count >= MaxValues {
		return nil, fmt.Errorf("range %q: more than %d values", item, MaxValues)
	}
	var out []string
	for i := 0.0; i <= count; i++ {
		out = append(out, strconv.FormatFloat(start+i*step, 'f', decimals, 64))
	}
	return out, nil
}

// String returns the axis in the notation that Parse reads.
func (a Axis) String() string {
	flag := ""
	if a.Pow2 {
		flag = "[pow2]"
	}
	return a.Name + flag + "=[" + strings.Join(a.Values, ",") + "]"
}
