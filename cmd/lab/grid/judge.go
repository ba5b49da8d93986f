package grid

import (
	"cmp"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/compare"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// judge fills in the cells and what is not among them.
func (p *Page) judge(g gathered) {
	at := map[spot]int{} // of kept
	p.uniform = map[base]float64{}
	var kept []*turns
	for _, t := range g.order {
		if t.ours == nil {
			continue
		}
		if t.ours.Status == result.OK && t.spot.Dist == "uniform" {
			p.uniform[base{t.file, t.spot.anySeed()}] = t.ours.Judged().Median
		}
		i, ok := at[t.spot.anySeed()]
		switch {
		case !ok:
			at[t.spot.anySeed()] = len(kept)
			kept = append(kept, t)
			continue
		case g.replaces(t, kept[i]):
			kept[i], t = t, kept[i]
		}
		p.Replaced++
		if t.ours.Status == result.Failed {
			p.ReplacedFailed++
		}
	}
	several := devices(kept)
	var ours, peers []result.Record
	var lone []result.Record
	for _, t := range kept {
		c := p.cell(g, t)
		c.form = formOf(t.spot, several)
		c.Form, c.Input = c.form.String(), inputName(t.spot.Cell)
		p.Cells = append(p.Cells, c)
		ours = append(ours, *t.ours)
		p.used = append(p.used, *t.ours)
		for _, r := range t.peers {
			peers = append(peers, *r)
		}
		for _, r := range g.rivals(t) {
			p.used = append(p.used, *r)
		}
		if c.Unmatched != "" {
			r := *t.ours
			r.Status, r.Reason = "unmatched", c.Unmatched
			lone = append(lone, r)
		}
	}
	slices.SortStableFunc(p.Cells, func(a, b Cell) int {
		return cmp.Or(a.form.compare(b.form), cmp.Compare(a.Items, b.Items))
	})
	p.Reasons, p.PeerReasons, p.Unmatched = result.Reasons(ours), result.Reasons(peers), result.Reasons(lone)
	p.alone(g, at)
}

// replaces says whether t counts instead of old: a later run of other code does, if
// a peer was beside it, since old's time is no longer true. Of one code the group with
// results of more peers counts, so that no peer drops out, and of equals the later one.
// A failure counts whoever was beside it, if it is the later one.
func (g gathered) replaces(t, old *turns) bool {
	n, was := opponents(g.rivals(t)), opponents(g.rivals(old))
	switch {
	case t.ours.Status == result.Failed:
	case n > 0 && was > 0 && t.ours.Env.Commit != old.ours.Env.Commit:
	case n != was:
		return n > was
	}
	return t.begun >= old.begun
}

// opponents counts the peers that have a result.
func opponents(rivals []*result.Record) int {
	names := map[string]bool{}
	for _, r := range rivals {
		if r.Status == result.OK {
			names[r.Algo] = true
		}
	}
	return len(names)
}

// cell judges one cell.
func (p *Page) cell(g gathered, t *turns) Cell {
	r := t.ours
	c := Cell{Items: r.Items, Status: r.Status, Reason: r.Reason, Chosen: r.Chosen, File: p.files[t.file].Path, file: t.file, spot: t.spot.anySeed()}
	if r.Status != result.OK {
		return c
	}
	c.NS = r.Judged().Median
	rivals := g.rivals(t)
	peer := fastest(rivals)
	if peer == nil {
		c.Unmatched = g.missing(t, rivals)
		return c
	}
	row := compare.Judge(*peer, *r, Tolerance)
	if min(r.Judged().Confidence, peer.Judged().Confidence) < stat.Confidence {
		p.Few++
	}
	if r.Behind+peer.Behind > 0 {
		p.Behind++
	}
	c.Peer, c.PeerNS = peer.Algo, row.Old
	if peer.Mode != r.Mode {
		c.PeerMode = peer.Mode
	}
	if own := fastest(t.peers); own != nil && r.Mode == "argsort" {
		c.Made = own.Judged().Median / c.NS
	}
	c.Ratio, c.Lo, c.Hi, c.P, c.Verdict = row.Old/row.New, 1/row.Hi, 1/row.Lo, row.P, row.Verdict
	return c
}

// missing says why a measured cell has no peer.
func (g gathered) missing(t *turns, rivals []*result.Record) string {
	if len(rivals) > 0 {
		if t.spot.Mode == "argsort" && rivals[0].Status == result.Unsupported {
			return "the file has no peer's pairs of the same widths and input"
		}
		return "no peer has a result: " + string(rivals[0].Status) + ", " + rivals[0].Reason
	}
	for _, x := range g.order {
		if x.spot.anySeed() == t.spot.anySeed() && len(x.peers) > 0 {
			return "its peers were measured in another run, not in turns with it"
		}
	}
	return "no peer was measured on this input"
}

// alone lists the peers' cells that the judged sort was never measured on. An
// argsort's peers are pairs: they are no cells of their own then.
func (p *Page) alone(g gathered, ours map[spot]int) {
	seen := map[string]bool{}
	for _, t := range g.order {
		argsort := t.spot.anySeed()
		argsort.Mode = "argsort"
		_, here := ours[t.spot.anySeed()]
		if _, for_ := ours[argsort]; here || for_ && t.spot.Mode == "pairs" {
			continue
		}
		for _, r := range t.peers {
			if r.Status == result.OK && !seen[r.Key()] {
				seen[r.Key()] = true
				p.Alone = append(p.Alone, r.Key())
			}
		}
	}
}

// devices are the places that the cells ran on, each once.
func devices(kept []*turns) (out []string) {
	for _, t := range kept {
		if d := place(t.spot); !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func place(s spot) string {
	if s.machine == "" {
		return s.DeviceID
	}
	return s.DeviceID + " " + s.machine
}
