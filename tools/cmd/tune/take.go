package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/tools/internal/policy"
)

// takeRow writes a variant's row into policies.json. It refuses one that is not
// verified or not measured, and one that was built over another row than is there now.
func takeRow(w io.Writer, root string, s *store, all []group, results, name string) error {
	i := slices.IndexFunc(s.Entries, func(e entry) bool { return e.Name == name })
	if i < 0 {
		return fmt.Errorf("-take %s: variants.json has no such variant", name)
	}
	e := s.Entries[i]
	if _, err := verified(results, e); err != nil {
		return fmt.Errorf("-take %s: it is not verified: %w", name, err)
	}
	source, err := provenance(all, e)
	if err != nil {
		return err
	}
	path := filepath.Join(root, "internal/tune/policies.json")
	table, err := policy.Load(path)
	if err != nil {
		return err
	}
	a, err := table.Find(e.Module, "cuda")
	if err != nil {
		return err
	}
	at, err := a.Row(e.Target, e.KeyBits, e.ValueBytes)
	if err != nil {
		return err
	}
	if !slices.Equal(a.Rows[at].Values, e.Base) {
		return fmt.Errorf("-take %s: the variant was measured beside %v, the row is %v now: measure again", name, e.Base, a.Rows[at].Values)
	}
	if table, err = table.With(e.Module, "cuda", e.Target, e.KeyBits, e.ValueBytes, e.Values, source); err != nil {
		return err
	}
	if err := os.WriteFile(path, table.JSON(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s: %v, was %v\n%s\nnext: go run ./cmd/policy, make kernels, then the suite on a GPU (CONTRIBUTING.md)\n", row(e), e.Target, e.Values, e.Base, source)
	return nil
}

// provenance is the row's source: device, driver, date, figures and command.
func provenance(all []group, e entry) (string, error) {
	var parts []string
	head := ""
	for _, g := range all {
		at := slices.IndexFunc(g.list, func(m measured) bool { return m.Name == e.Name })
		if at < 0 {
			continue
		}
		m, r := g.list[at], g.of
		if head == "" {
			head = fmt.Sprintf("%s, driver %s, %s", r.Env.Device, r.Env.DriverVersion, r.Env.Started[:min(10, len(r.Env.Started))])
		}
		rate := fmt.Sprintf("%.1f Gkeys/s", r.Rate(m.Median)/1e9)
		if r.Rate(m.Median) < 1e9 {
			rate = fmt.Sprintf("%.0f Mkeys/s", r.Rate(m.Median)/1e6)
		}
		text := fmt.Sprintf("%s %s, %s keys, n = %s: %.1f us, %s", r.KeyType, r.Mode, r.Dist, axes.FormatCount(r.Items), m.Median/1e3, rate)
		if m.ratio != 0 && !m.Committed {
			text += fmt.Sprintf(", %.3f times as fast as the row before", m.ratio)
		}
		text += fmt.Sprintf(" (median of %d rounds, %d samples; place %d of %d geometries)", m.Samples, m.samples, at+1, len(g.list))
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("-take %s: it is not measured", e.Name)
	}
	return fmt.Sprintf("%s, %s; %s", head, strings.Join(parts, "; "), e.Command), nil
}
