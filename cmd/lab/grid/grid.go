// Package grid judges one sort against peers over a whole grid of cells: where
// it loses, by how much it wins as a geometric mean, and which kinds of input
// cost it more than uniform keys do. Only cells that took turns with a peer in
// one run are judged.
package grid

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/compare"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// Tolerance is the difference of medians that the verdict SAME allows, that of
// 'gpusort compare'.
const Tolerance = 0.02

// Options say who is judged.
type Options struct {
	Of      string   // the algorithm that is judged
	Against []string // its peers; the fastest of them counts
	Title   string   // heading; empty: a plain one
	Command string   // that makes the page again; may be empty
}

// File is one file of results.
type File struct {
	Path string
	// Link is where the page finds it; empty: Path.
	Link    string
	Records []result.Record
}

// Cell is one cell of the grid. Times are medians in nanoseconds.
type Cell struct {
	Form   string        `json:"form"`  // of one table: key type, mode, value width
	Input  string        `json:"input"` // distribution
	Items  uint64        `json:"items"`
	Status result.Status `json:"status"`
	Reason string        `json:"reason,omitempty"` // of a cell that is not ok
	Chosen string        `json:"chosen,omitempty"` // the algorithm behind the judged one
	NS     float64       `json:"ns,omitempty"`
	// Peer is the fastest one; empty if the cell was matched with none, and then
	// Unmatched says why.
	Peer      string  `json:"peer,omitempty"`
	PeerMode  string  `json:"peer_mode,omitempty"` // if it is not the cell's
	PeerNS    float64 `json:"peer_ns,omitempty"`
	Unmatched string  `json:"unmatched,omitempty"`
	// Ratio is the peer's time over ours: above 1 ours is faster. Lo and Hi
	// bound it by the medians' 95 % intervals at their worst.
	Ratio float64 `json:"ratio,omitempty"`
	Lo    float64 `json:"lo,omitempty"`
	Hi    float64 `json:"hi,omitempty"`
	P     float64 `json:"p,omitempty"` // Mann–Whitney
	// Made is the ratio of an argsort to the fastest peer that makes the index
	// too; Ratio may be to one that was given it. It is for the parts alone.
	Made float64 `json:"made_ratio,omitempty"`
	// Verdict is that of compare with the peer as the old one.
	Verdict compare.Verdict `json:"verdict,omitempty"`
	File    string          `json:"file"`

	form form
	file int
	spot spot
}

// Loss says whether the peer's median is the smaller one.
func (c Cell) Loss() bool { return c.Peer != "" && c.Ratio < 1 }

// Summary sums up the matched cells of one part of the grid.
type Summary struct {
	Part    string  `json:"part"`
	Matched int     `json:"matched"`
	Losses  int     `json:"losses"`
	GeoMean float64 `json:"geomean"` // of the ratios
	Worst   Cell    `json:"worst"`
	Best    Cell    `json:"best"`
}

// Cliff is an input on which a key takes longer than a uniform one of the same
// form and number.
type Cliff struct {
	Form    string  `json:"form"`
	Input   string  `json:"input"`
	Items   uint64  `json:"items"`
	Chosen  string  `json:"chosen,omitempty"`
	NS      float64 `json:"ns"`
	Uniform float64 `json:"uniform_ns"`
	Ratio   float64 `json:"ratio"` // NS over Uniform
}

// Rise is the step between two neighbouring sizes of one form and input at which
// time per key grows most.
type Rise struct {
	Form   string  `json:"form"`
	Input  string  `json:"input"`
	From   uint64  `json:"from"`
	To     uint64  `json:"to"`
	Chosen string  `json:"chosen,omitempty"` // at From, and at To if it differs
	FromNS float64 `json:"from_ns"`
	ToNS   float64 `json:"to_ns"`
	Ratio  float64 `json:"ratio"` // of time per key, To over From
}

// Page is the whole judgement.
type Page struct {
	Of      string   `json:"of"`
	Against []string `json:"against"`
	// Losses are the matched cells that a peer wins, worst first.
	Losses []Cell `json:"losses"`
	// Parts are the whole grid, its powers of two and other sizes if it has
	// both, and each form. A form's Made ratios follow it.
	Parts []Summary `json:"parts"`
	// Steepest has for each form and number of keys the input that costs most
	// beside uniform keys, worst first.
	Steepest []Cliff `json:"steepest"`
	// Cliffs are all inputs past MaxCliff, worst first.
	Cliffs []Cliff `json:"cliffs"`
	// Rises has for each form its steepest step in size, worst first; forms whose
	// time per key never grows are not there.
	Rises []Rise `json:"rises"`
	Cells []Cell `json:"cells"`
	// Reasons are why records of the judged sort, and of the peers beside it,
	// are failed or unsupported.
	Reasons     []result.Reason `json:"reasons,omitempty"`
	PeerReasons []result.Reason `json:"peer_reasons,omitempty"`
	// Unmatched groups the measured cells without a peer by what is missing.
	Unmatched []result.Reason `json:"unmatched,omitempty"`
	// Alone are cells of peers that the judged sort was not measured on.
	Alone []string `json:"alone,omitempty"`
	// Replaced counts records that another one of the same cell took the place
	// of; ReplacedFailed are those among them that had failed.
	Replaced       int `json:"replaced"`
	ReplacedFailed int `json:"replaced_failed,omitempty"`
	// Few counts ratios that rest on too few samples for a 95 % interval.
	Few int `json:"few_samples,omitempty"`
	// Behind counts ratios with samples whose sort the device began before the host had
	// queued all of it.
	Behind int `json:"behind,omitempty"`
	// OwnLayout counts records that were left out because they set threads or
	// blocks.
	OwnLayout int `json:"own_layout,omitempty"`

	uniform        map[base]float64 // medians of the judged sort
	files          []File
	title, command string
	used           []result.Record // everything that the page shows
}

// Judge matches and judges. Of several measurements of one cell that with most
// peers beside it counts, of equals the one that was begun later, and of those of
// one moment the later one in the files.
func Judge(files []File, o Options) (Page, error) {
	p := Page{Of: o.Of, Against: o.Against, files: files, title: o.Title, command: o.Command}
	if err := o.check(files); err != nil {
		return p, err
	}
	g := gather(files, o)
	p.Replaced, p.OwnLayout = g.replaced, g.ownLayout
	p.judge(g)
	p.sum()
	if len(p.Parts) == 0 {
		why := "none was measured"
		if len(p.Unmatched) > 0 {
			why = p.Unmatched[0].Text
		} else if len(p.Reasons) > 0 {
			why = p.Reasons[0].String()
		}
		return p, fmt.Errorf("no cell of %s was matched with a peer (%s): measure them in one run, -a 'Algo=[%s,%s]'",
			o.Of, why, o.Of, strings.Join(o.Against, ","))
	}
	p.climb()
	p.rise()
	return p, nil
}

func (o Options) check(files []File) error {
	if len(o.Against) == 0 {
		return errors.New("no peer is named")
	}
	var there []string
	for _, f := range files {
		for _, r := range f.Records {
			if !slices.Contains(there, r.Algo) {
				there = append(there, r.Algo)
			}
		}
	}
	if len(there) == 0 {
		return errors.New("the files hold no results: make some with 'gpusort bench --json FILE'")
	}
	slices.Sort(there)
	for i, name := range append([]string{o.Of}, o.Against...) {
		if i > 0 && name == o.Of {
			return fmt.Errorf("%s cannot be its own peer", name)
		}
		if !slices.Contains(there, name) {
			return fmt.Errorf("no result of %q: the files have %s", name, strings.Join(there, ", "))
		}
	}
	return nil
}
