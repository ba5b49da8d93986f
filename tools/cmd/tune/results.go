package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// measured is one variant in one case: a median for each of its processes.
type measured struct {
	entry
	rounds  []float64 // nanoseconds, in the order of run.sh's rounds
	samples int
	stat.Summary
	// ratio is the median over the rounds of the committed row's time over this
	// one's in the same round: above 1 is faster. 0: no committed row was measured.
	ratio float64
}

// group is one case on one device with all its variants, fastest first.
type group struct {
	name string // "onesweep/cuda/u32/keys/uniform/n=2^28"
	of   result.Record
	list []measured
}

// groups joins the records with the variants that they are of. A record of other
// code than the variant of its name has is an error; a failed cell leaves its
// variant out, and is told of in trouble.
func groups(s *store, recs []result.Record) (out []group, trouble []string, err error) {
	for _, r := range recs {
		i := slices.IndexFunc(s.Entries, func(e entry) bool { return e.Name == r.Env.Variant })
		switch {
		case r.Env.Variant == "":
			return nil, nil, fmt.Errorf("a record of %s is of no variant: run.sh's step tune makes them", r.Case)
		case i < 0:
			return nil, nil, fmt.Errorf("variants.json has no %s, of which there are results: they are of another folder", r.Env.Variant)
		case s.Entries[i].SHA256 != r.Env.VariantSHA256:
			return nil, nil, fmt.Errorf("the results of %s are of code %.12s, variants.json has %.12s: it was built again since", r.Env.Variant, r.Env.VariantSHA256, s.Entries[i].SHA256)
		case r.Status != result.OK:
			if t := fmt.Sprintf("`%s`, %s: %s: %s", r.Env.Variant, r.Case, r.Status, r.Reason); !slices.Contains(trouble, t) {
				trouble = append(trouble, t) // once for all rounds
			}
			continue
		}
		g := slices.IndexFunc(out, func(g group) bool { return g.name == r.Case && g.of.Env.Device == r.Env.Device })
		if g < 0 {
			g = len(out)
			out = append(out, group{name: r.Case, of: r})
		}
		list := out[g].list
		m := slices.IndexFunc(list, func(m measured) bool { return m.Name == r.Env.Variant })
		if m < 0 {
			m = len(list)
			list = append(list, measured{entry: s.Entries[i]})
		}
		ns := r.Main()
		list[m].rounds = append(list[m].rounds, stat.Summarise(ns).Median)
		list[m].samples += len(ns)
		out[g].list = list
	}
	for _, g := range out {
		g.finish()
	}
	return out, trouble, nil
}

// finish summarises the rounds and sorts. Rounds are what is independent: the
// samples of one process share its clocks and its place in memory.
func (g group) finish() {
	var base []float64
	for _, m := range g.list {
		if m.Committed {
			base = m.rounds
		}
	}
	for i := range g.list {
		m := &g.list[i]
		m.Summary = stat.Summarise(m.rounds)
		var ratios []float64
		for r := range min(len(base), len(m.rounds)) {
			ratios = append(ratios, base[r]/m.rounds[r])
		}
		m.ratio = stat.Summarise(ratios).Median
	}
	slices.SortStableFunc(g.list, func(x, y measured) int { return cmp.Compare(x.Median, y.Median) })
}

// verified reads run.sh's log of a variant's verification: the cases that passed,
// or why it is none.
func verified(results string, e entry) (cases int, err error) {
	name := "tune-" + e.Name + ".log"
	text, err := os.ReadFile(filepath.Join(results, name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("there is no %s", name)
	}
	if err != nil {
		return 0, err
	}
	if !strings.Contains(string(text), e.SHA256) {
		return 0, fmt.Errorf("%s is about other code", name)
	}
	m := totals.FindAllSubmatch(text, -1)
	if len(m) == 0 {
		return 0, fmt.Errorf("%s has no count of cases", name)
	}
	passed, _ := strconv.Atoi(string(m[0][1]))
	failed, _ := strconv.Atoi(string(m[0][2]))
	if !ended.Match(text) || failed > 0 || passed == 0 {
		return passed, fmt.Errorf("%s: %d cases passed and %d failed, its last line is %q", name, passed, failed, lastLine(text))
	}
	return passed, nil
}

var (
	totals = regexp.MustCompile(`(?m)^(\d+) passed, (\d+) failed`)
	ended  = regexp.MustCompile(`(?m)^rc=0\n*\z`)
)

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
