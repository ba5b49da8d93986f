package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
)

// loadPeers loads the libraries and checks that no name is taken twice.
func loadPeers(paths []string, algorithms []algo.Algorithm) (all []peer.Sorter, operators []peer.Operator, err error) {
	taken := map[string]string{}
	for _, a := range algorithms {
		taken[a.Name] = "the catalogue"
	}
	for _, h := range catalog.Hosts() {
		taken[h.Name] = "the catalogue"
	}
	for _, a := range catalog.Operations() {
		taken[a.Name] = "the catalogue"
	}
	take := func(name, path string) error {
		if by, ok := taken[name]; ok {
			return fmt.Errorf("peer library %s: the name %s is taken by %s", path, name, by)
		}
		taken[name] = path
		return nil
	}
	for _, path := range paths {
		l, list, err := peer.Load(path)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range l.Operators {
			if err := take(o.Name, path); err != nil {
				return nil, nil, err
			}
		}
		operators = append(operators, l.Operators...)
		for _, s := range list {
			if err := take(s.Name, path); err != nil {
				return nil, nil, err
			}
		}
		all = append(all, list...)
	}
	return all, operators, nil
}

func sourceOf(l *peer.Library) string { return filepath.Base(l.Path) }

// names lists every algorithm that a cell can name, each once: some run on
// devices and on the processor.
func (o Options) names() []string {
	var out []string
	for _, a := range o.algorithms() {
		out = append(out, a.Name)
	}
	for _, h := range catalog.Hosts() {
		if !slices.Contains(out, h.Name) {
			out = append(out, h.Name)
		}
	}
	for _, s := range o.sorters {
		out = append(out, s.Name)
	}
	return out
}

// elsewhere explains why a known algorithm has no place on a backend.
func (o Options) elsewhere(name, backend string) error {
	var on []string
	for _, a := range o.algorithms() {
		if a.Name == name {
			on = a.Backends
		}
	}
	if _, err := catalog.HostAlgorithm(name); err == nil {
		on = append(slices.Clone(on), "cpu")
	}
	for _, s := range o.sorters {
		if s.Name == name {
			on = []string{s.Memory.String()}
		}
	}
	if len(on) == 0 {
		return algo.Unsupported("no algorithm %s in this build, nor in a library of peers, which "+peer.EnvPeers+" names", name)
	}
	return algo.Unsupported("%s runs on %s, not on %s", name, strings.Join(on, " and "), backend)
}

// peerReady keeps float inputs whose order is a matter of convention from
// sorters that follow another one.
func peerReady(s *peer.Sorter, in *input) error {
	if s != nil && in.special && s.Flags&peer.TotalOrder == 0 {
		return algo.Unsupported("the input holds NaN or −0, which %s orders in its own way", s.Name)
	}
	return nil
}
