package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/tools/internal/build"
	"github.com/gpusort/gpusort/tools/internal/policy"
)

// judge keeps of each variant the kernels that the row is about: those of its key
// and value widths, and others that differ from the committed row's. It leaves out
// variants whose kernels spill, but the committed one.
func (b *builder) judge(all []*built) {
	suffix := fmt.Sprintf("_%d_%s", b.key, policy.Suffix(b.value))
	var base []build.Usage
	for _, v := range all {
		if v.Committed {
			base = v.Kernels
		}
	}
	about := map[string]bool{}
	for _, v := range all {
		for _, u := range v.Kernels {
			if strings.HasSuffix(u.Kernel, suffix) || base != nil && !slices.Contains(base, u) {
				about[u.Kernel] = true
			}
		}
	}
	for _, v := range all {
		v.Kernels = slices.DeleteFunc(slices.Clone(v.Kernels), func(u build.Usage) bool { return !about[u.Kernel] })
		slices.SortFunc(v.Kernels, func(x, y build.Usage) int { return strings.Compare(x.Kernel, y.Kernel) })
		if v.Committed || b.spills || v.Reason != "" {
			continue
		}
		var which []string
		for _, u := range v.Kernels {
			if u.Spills() > 0 {
				which = append(which, fmt.Sprintf("%s %d bytes", u.Kernel, u.Spills()))
			}
		}
		if len(which) > 0 {
			v.Reason = "spills: " + strings.Join(which, ", ")
		}
	}
}

// print lists the variants with what the compiler said of them.
func (b *builder) print(w io.Writer, all []*built) {
	kept := 0
	for _, v := range all {
		mark := ""
		switch {
		case v.Reason != "":
			mark = "left out: " + v.Reason
		default:
			kept++
			mark = "registers " + figures(v.entry, shown(entries(all)), registers)
		}
		if v.Committed {
			mark += "; the committed row"
			if e := b.variants.Embedded(); v.Reason == "" && e != v.SHA256 {
				mark += ", of other code than the embedded one: another compiler"
			}
		}
		fmt.Fprintf(w, "%s  %v  %s\n", v.Name, v.Values, mark)
	}
	fmt.Fprintf(w, "%d of %d variants in %s\n", kept, len(all), b.out)
}

func entries(all []*built) (out []entry) {
	for _, v := range all {
		out = append(out, v.entry)
	}
	return out
}

func registers(u build.Usage) int { return u.Registers }

// shown are the kernels whose registers, spills or static shared memory differ
// among the entries; all, if none does.
func shown(list []entry) (out []string) {
	first := map[string]build.Usage{}
	var all []string
	for _, e := range list {
		for _, u := range e.Kernels {
			f, ok := first[u.Kernel]
			if !ok {
				first[u.Kernel], all = u, append(all, u.Kernel)
			} else if f != u && !slices.Contains(out, u.Kernel) {
				out = append(out, u.Kernel)
			}
		}
	}
	if len(out) == 0 {
		out = all
	}
	slices.Sort(out)
	return out
}

// figures lists one figure of the kernels, by stage: "pass 80, small 63".
func figures(e entry, kernels []string, f func(build.Usage) int) string {
	var out []string
	for _, u := range e.Kernels {
		if slices.Contains(kernels, u.Kernel) {
			stage := strings.TrimPrefix(u.Kernel, "gs_"+e.Module+"_")
			stage = strings.TrimSuffix(stage, fmt.Sprintf("_%d_%s", e.KeyBits, policy.Suffix(e.ValueBytes)))
			out = append(out, fmt.Sprintf("%s %d", stage, f(u)))
		}
	}
	return strings.Join(out, ", ")
}
