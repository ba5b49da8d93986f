package grid

import (
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// spot is a cell without its algorithm, on one machine.
type spot struct {
	result.Cell
	machine string
}

func spotOf(r result.Record) spot {
	s := spot{r.Cell, r.Env.Device}
	if r.Backend == "cpu" {
		s.machine = r.Env.CPU
	}
	s.Algo = ""
	return s
}

// anySeed is the spot whatever the seed of its input: one cell of the grid.
func (s spot) anySeed() spot {
	s.Seed = 0
	return s
}

// run is one call of the benchmark, as one file has it.
type run struct {
	file           int
	begun, command string
}

// turns are the records of one run that sorted one input in turns.
type turns struct {
	run
	spot  spot
	ours  *result.Record
	peers []*result.Record
}

// gathered is what the files hold of the judged sort and its peers.
type gathered struct {
	order               []*turns // as the files have them
	replaced, ownLayout int
}

// gather sorts the records of the judged sort and of its peers by run and
// input. It changes no record of the files.
func gather(files []File, o Options) (g gathered) {
	type at struct {
		run
		spot spot
	}
	groups := map[at]*turns{}
	for i, f := range files {
		for _, r := range f.Records {
			if r.Algo != o.Of && !slices.Contains(o.Against, r.Algo) {
				continue
			}
			if r.Threads != 0 || r.Blocks != 0 {
				g.ownLayout++
				continue
			}
			r.Sound()
			k := at{run{i, r.Env.Started, r.Env.Command}, spotOf(r)}
			t := groups[k]
			if t == nil {
				t = &turns{run: k.run, spot: k.spot}
				groups[k] = t
				g.order = append(g.order, t)
			}
			if t.add(&r, o.Of) {
				g.replaced++
			}
		}
	}
	return g
}

// add takes a record in and says whether it replaced one.
func (t *turns) add(r *result.Record, of string) bool {
	if r.Algo == of {
		was := t.ours != nil
		t.ours = r
		return was
	}
	i := slices.IndexFunc(t.peers, func(p *result.Record) bool { return p.Algo == r.Algo })
	if i >= 0 {
		t.peers[i] = r
		return true
	}
	t.peers = append(t.peers, r)
	return false
}

// fastest returns the peer with the smallest median, or nil.
func fastest(peers []*result.Record) (best *result.Record) {
	for _, p := range peers {
		if p.Status == result.OK && (best == nil || p.Judged().Median < best.Judged().Median) {
			best = p
		}
	}
	return best
}

// rivals are the peers that the group's sort is judged by: those that took
// turns with it, and for an argsort those that moved pairs of the same widths,
// index made beforehand, in the same file: in the same run if there, else in
// the last one.
func (g gathered) rivals(t *turns) []*result.Record {
	if t.spot.Mode != "argsort" {
		return t.peers
	}
	pairs := t.spot
	pairs.Mode = "pairs"
	var in *turns
	for _, x := range g.order {
		if x.spot != pairs || x.file != t.file || fastest(x.peers) == nil {
			continue
		}
		if in == nil || x.run == t.run || in.run != t.run && x.begun >= in.begun {
			in = x
		}
	}
	if in == nil {
		return t.peers
	}
	return append(slices.Clone(t.peers), in.peers...)
}
