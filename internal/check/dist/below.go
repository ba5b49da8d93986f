package dist

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// belowPrefix begins the names of the rows that Below makes.
const belowPrefix = "max-"

// Below is the distribution of whole numbers from 0 to most, all equally
// likely, and of those up to the greatest number of a type that ends before.
// Its name, which Find knows, is "max-" and the number. It is no row of Table,
// because there is one for every number. Counting sorts need such keys.
func Below(most uint64) Dist {
	return Dist{
		Name: belowPrefix + strconv.FormatUint(most, 10),
		Doc:  fmt.Sprintf("whole numbers from 0 to %d, equally likely", most),
		fill: func(g *gen, _ uint64, out []uint64) {
			top := most
			switch g.t.Row().Kind {
			case key.Unsigned:
				top = min(most, g.mask)
			case key.Signed:
				top = min(most, g.mask>>1)
			}
			for i := range out {
				v := g.next()
				if top != math.MaxUint64 {
					v, _ = bits.Mul64(v, top+1)
				}
				out[i] = g.count(v, v)
			}
		},
	}
}

// findBelow is Find for Below's rows.
func findBelow(name string) (Dist, bool) {
	digits, ok := strings.CutPrefix(name, belowPrefix)
	if !ok {
		return Dist{}, false
	}
	most, err := strconv.ParseUint(digits, 10, 64)
	return Below(most), err == nil && Below(most).Name == name
}
