package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"

	"github.com/gpusort/gpusort/internal/lab/plot"
	"github.com/gpusort/gpusort/internal/lab/run"
)

// animation is a recorded sort: a picture of every step that moved keys, and
// the same as data for the script.
type animation struct {
	ID, Title, Note string
	Strip           *plot.Figure
	Data            template.JS
}

// SVG is the still picture.
func (a animation) SVG() template.HTML { return template.HTML(a.Strip.SVG()) }

// movie is what the script plays.
type movie struct {
	Labels []string `json:"labels"`
	// Ranks are the keys' places in the sorted order, which give height and
	// colour; Order holds for each frame which key lies at each place.
	Ranks []int    `json:"ranks"`
	Order [][]int  `json:"order"`
	Keys  []string `json:"keys"`
}

func animate(r run.Recording) animation {
	m := newMovie(r)
	// Marshal of plain numbers and texts cannot fail; its output escapes what
	// could end a script element.
	text, _ := json.Marshal(m)
	moves := 0
	for _, f := range r.Frames {
		if f.Moved {
			moves++
		}
	}
	return animation{
		ID:    slug("play-" + r.Case),
		Title: seriesOf(r.Cell) + ", " + kindOf(r.Cell).String(),
		Note:  fmt.Sprintf("%d steps, %d of them moved keys. Each frame is what the device's memory held after that step; equal keys are followed in their order.", len(r.Frames)-1, moves),
		Strip: plot.Frames{Title: "The keys after each step that moved them", Frames: stills(r, m), W: 1140}.Draw(),
		Data:  template.JS(text),
	}
}

// newMovie follows every key through the frames: the k-th of equal keys in one
// frame is the k-th of them in the next, as in a stable sort.
func newMovie(r run.Recording) movie {
	first := r.Frames[0].Keys
	m := movie{Ranks: make([]int, len(first))}
	byKey := make([]int, len(first))
	for i := range byKey {
		byKey[i] = i
		m.Keys = append(m.Keys, fmt.Sprint(first[i]))
	}
	slices.SortStableFunc(byKey, func(a, b int) int {
		switch {
		case first[a] < first[b]:
			return -1
		case first[a] > first[b]:
			return 1
		}
		return 0
	})
	ids := map[uint64][]int{}
	for rank, id := range byKey {
		m.Ranks[id] = rank
		ids[first[id]] = append(ids[first[id]], id)
	}
	for _, f := range r.Frames {
		next := map[uint64]int{}
		order := make([]int, len(f.Keys))
		for i, k := range f.Keys {
			if n := next[k]; n < len(ids[k]) {
				order[i] = ids[k][n]
			}
			next[k]++
		}
		m.Labels = append(m.Labels, f.Label)
		m.Order = append(m.Order, order)
	}
	return m
}

// stills are the frames that differ from the one before.
func stills(r run.Recording, m movie) (out []plot.Still) {
	for i, f := range r.Frames {
		if i > 0 && !f.Moved {
			continue
		}
		s := plot.Still{Label: f.Label}
		for _, id := range m.Order[i] {
			s.Values = append(s.Values, float64(m.Ranks[id]+1)/float64(len(m.Ranks)))
		}
		out = append(out, s)
	}
	return out
}
