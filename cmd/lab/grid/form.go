package grid

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/key"
)

// form is what one table holds constant.
type form struct {
	mode, key  string
	valueBytes int
	rest       string // what differs from the defaults
	on         string // the place, if the grid has several
}

func formOf(s spot, places []string) form {
	f := form{mode: s.Mode, key: s.KeyType, valueBytes: s.ValueBytes}
	for _, x := range []struct {
		on   bool
		text string
	}{{s.Desc, "descending"}, {s.NaNLast, "NaN last"}, {s.Warm, "warm"}, {s.Graph, "as a graph"},
		{s.HostClock, "by the host's clock"}, {s.Workers != 0, fmt.Sprintf("parallel %d", s.Workers)}} {
		if x.on {
			f.rest += ", " + x.text
		}
	}
	if len(places) > 1 {
		f.on = place(s)
	}
	return f
}

// String reads as in "u32 keys", "u64+u32 pairs", "argsort of u32 (u64
// positions)".
func (f form) String() string {
	var s string
	switch f.mode {
	case "pairs":
		s = fmt.Sprintf("%s+u%d pairs", f.key, 8*f.valueBytes)
	case "argsort":
		s = "argsort of " + f.key
		if f.valueBytes > 4 {
			s += fmt.Sprintf(" (u%d positions)", 8*f.valueBytes)
		}
	default:
		s = f.key + " " + f.mode
	}
	s += f.rest
	if f.on != "" {
		s += " on " + f.on
	}
	return s
}

// compare orders forms as the tables stand: keys, pairs, argsort; by type; by
// width.
func (f form) compare(g form) int {
	mode := func(f form) int { return slices.Index([]string{"keys", "pairs", "argsort"}, f.mode) }
	typ := func(f form) int {
		return slices.IndexFunc(key.Table(), func(r key.Row) bool { return r.Name == f.key })
	}
	return cmp.Or(cmp.Compare(mode(f), mode(g)), cmp.Compare(typ(f), typ(g)), cmp.Compare(f.valueBytes, g.valueBytes),
		strings.Compare(f.rest, g.rest), strings.Compare(f.on, g.on))
}

// inputName is the distribution, with the greatest key where it has one.
func inputName(c result.Cell) string {
	if c.MaxValue == 0 || c.Dist == fmt.Sprintf("max-%d", c.MaxValue) {
		return c.Dist
	}
	return fmt.Sprintf("%s ≤ %d", c.Dist, c.MaxValue)
}

// powerOfTwo says whether n is one, and so stands in a form's first table.
func powerOfTwo(n uint64) bool { return n != 0 && n&(n-1) == 0 }
