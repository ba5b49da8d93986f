package tune

import (
	"slices"

	"github.com/gpusort/gpusort/internal/kernel/variant"
)

type row = variant.Row

// module is what is needed to take a CUDA module's rows from a variant.
type module struct {
	params []string
	set    func(target string, rows []row)
}

// The table is complete before anybody reads it, and does not change after.
func init() {
	if v, err := variant.Active(); err == nil && v != nil {
		use(v)
	}
}

// use replaces the rows and the hash of the variant's module and target. If this
// build's rows have other parameters, it leaves them: package kernel then refuses
// the code, since its sources differ.
func use(v *variant.Variant) bool {
	m, ok := modules()[v.Module]
	if !ok || !slices.Equal(m.params, v.Params) {
		return false
	}
	m.set(v.Target, v.Rows)
	hashes()[image{"cuda", v.Module, v.Target}] = v.Hash()
	return true
}

// replace sets a table's rows for a target to the given ones, of as many values
// as there are parameters.
func replace[T any](table map[instance]T, target string, rows []row, of func([]uint32) T) {
	for i := range table {
		if i.target == target {
			delete(table, i)
		}
	}
	for _, r := range rows {
		table[instance{r.Target, r.KeyBits, r.ValueBytes}] = of(r.Values)
	}
}
