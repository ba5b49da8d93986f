package compare

import (
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// MaxCliff is how much longer than a uniform key any other may take.
const MaxCliff = 1.6

// uniform maps every cell of uniform keys to its median.
type uniform map[result.Cell]float64

func uniformOf(order []string, sets map[string]runs) uniform {
	u := uniform{}
	for _, k := range order {
		if r := sets[k].last(); r.Dist == "uniform" && r.Status == result.OK {
			u[r.Cell] = sets[k].median()
		}
	}
	return u
}

// times is how many times as long as the uniform keys of the same cell ns is; 0
// for uniform keys themselves, and where these were not measured.
func (u uniform) times(c result.Cell, ns float64) float64 {
	if c.Dist == "uniform" {
		return 0
	}
	c.Dist = "uniform"
	if base := u[c]; base > 0 {
		return ns / base
	}
	return 0
}

// hasUniform says whether any row is compared with uniform keys.
func (r Report) hasUniform() bool {
	for _, row := range r.Rows {
		if row.OldTimes > 0 || row.NewTimes > 0 {
			return true
		}
	}
	return false
}

// cliffs is the summary's sentence on rows above [MaxCliff]; empty without
// uniform keys in both sets.
func (r Report) cliffs() string {
	var cells, old, new int
	for _, row := range r.Rows {
		if row.OldTimes == 0 || row.NewTimes == 0 {
			continue
		}
		cells++
		if row.OldTimes > MaxCliff {
			old++
		}
		if row.NewTimes > MaxCliff {
			new++
		}
	}
	if cells == 0 {
		return ""
	}
	return fmt.Sprintf("of %d cells of other keys %d took more than %g times as long as uniform ones, and %d do now", cells, old, MaxCliff, new)
}

func times(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}
