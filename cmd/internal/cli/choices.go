package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	_ "github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// names maps a list to the names of its rows.
func names[T any](rows []T, name func(T) string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = name(r)
	}
	return out
}

// typeNames lists the key types. What else key.Parse takes is for those who know it from elsewhere.
func typeNames() string {
	return strings.Join(names(catalog.KeyTypes(), func(r key.Row) string { return r.Name }), " ") + ",\nor as int64, double, <u4"
}

// algoList names every algorithm once: some run on devices and on the processor.
func algoList() []string {
	list := names(catalog.Algorithms(), func(a algo.Algorithm) string { return a.Name })
	for _, h := range catalog.Hosts() {
		if !slices.Contains(list, h.Name) {
			list = append(list, h.Name)
		}
	}
	return list
}

// errChoice is the error of a flag with fixed values.
func errChoice(got string, known ...string) error {
	return fmt.Errorf("unknown value %q: known are %s", got, strings.Join(known, ", "))
}

// wholeWord is the one of the known words that got is, or begins.
func wholeWord(got string, known ...string) (string, error) {
	if slices.Contains(known, got) {
		return got, nil
	}
	some := slices.DeleteFunc(slices.Clone(known), func(w string) bool { return !strings.HasPrefix(w, got) })
	if len(some) != 1 {
		return "", errChoice(got, known...)
	}
	return some[0], nil
}

// choices makes the shell complete a flag's values.
func choices(c *cobra.Command, flag string, values []string) {
	choicesOf(c, flag, func() []string { return values })
}

// choicesOf is choices of what is made when the shell asks for it.
func choicesOf(c *cobra.Command, flag string, values func() []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
}

// distChoices completes distributions with their descriptions.
func distChoices(c *cobra.Command, flag string) {
	choicesOf(c, flag, func() []string {
		return names(dist.Table(), func(d dist.Dist) string { return d.Name + "\t" + d.Doc })
	})
}
