package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// setting is one -set: a parameter with the values that it takes in turn, or one
// product of numbers and other parameters ("small=threads*items").
type setting struct {
	param   string
	values  []uint32
	product []string // nil: values
}

func parseSetting(s string) (setting, error) {
	param, list, ok := strings.Cut(s, "=")
	if !ok || param == "" || list == "" {
		return setting{}, fmt.Errorf("%q is not PARAM=VALUE,VALUE… or PARAM=FACTOR*FACTOR", s)
	}
	out := setting{param: param}
	if first := list[0]; strings.Contains(list, "*") || first < '0' || first > '9' {
		out.product = strings.Split(list, "*")
		return out, nil
	}
	for _, text := range strings.Split(list, ",") {
		v, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return setting{}, fmt.Errorf("-set %s: %q is no number below 2^32", s, text)
		}
		out.values = append(out.values, uint32(v))
	}
	return out, nil
}

// multiply returns every combination of the settings over the row base, the last
// setting fastest, without repetition.
func multiply(params []string, base []uint32, settings []setting) (grid [][]uint32, err error) {
	at := func(name string) int { return slices.Index(params, name) }
	grid = [][]uint32{slices.Clone(base)}
	seen := map[string]bool{}
	for _, s := range settings {
		if at(s.param) < 0 {
			return nil, fmt.Errorf("-set %s: there is no such parameter; there are %s", s.param, strings.Join(params, ", "))
		}
		if seen[s.param] {
			return nil, fmt.Errorf("-set %s is given twice", s.param)
		}
		seen[s.param] = true
		if s.product != nil {
			continue
		}
		var next [][]uint32
		for _, row := range grid {
			for _, v := range s.values {
				r := slices.Clone(row)
				r[at(s.param)] = v
				next = append(next, r)
			}
		}
		grid = next
	}
	for _, s := range settings {
		if s.product == nil {
			continue
		}
		for _, row := range grid {
			v := uint64(1)
			for _, f := range s.product {
				x, err := strconv.ParseUint(f, 10, 32)
				if i := at(f); err != nil && i >= 0 {
					x = uint64(row[i])
				} else if err != nil {
					return nil, fmt.Errorf("-set %s: %q is neither a number nor a parameter", s.param, f)
				}
				if v *= x; v >= 1<<32 {
					return nil, fmt.Errorf("-set %s: the product passes 2^32", s.param)
				}
			}
			row[at(s.param)] = uint32(v)
		}
	}
	var out [][]uint32
	for _, row := range grid {
		if !slices.ContainsFunc(out, func(r []uint32) bool { return slices.Equal(r, row) }) {
			out = append(out, row)
		}
	}
	return out, nil
}

// name of a variant: the row, and the set parameters with their values.
func name(row string, params []string, settings []setting, values []uint32) string {
	for _, s := range settings {
		row += "-" + strings.ReplaceAll(s.param, "_", "") + fmt.Sprint(values[slices.Index(params, s.param)])
	}
	return row
}
