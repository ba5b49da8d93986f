package report

import (
	"cmp"
	"encoding/json"
	"html/template"
	"math"
	bits64 "math/bits"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// animation is a recorded sort: a picture of every step that moved keys, and
// the same as data for the script.
type animation struct {
	ID, Title, Note string
	Strip           Figure
	Network         *Figure // nil unless the steps are a network's
	Long            bool    // the strip is folded away
	Data            template.JS
}

// longStrip is the number of rows from which on a strip is folded away.
const longStrip = 12

// movie is what the script plays.
type movie struct {
	Labels []string `json:"labels"`
	// Ranks are the keys' places in the sorted order, which give their height;
	// Order holds for each frame which key lies at each place, and Hues for each
	// frame every key's colour in hundredths, or −1 for none.
	Ranks []int   `json:"ranks"`
	Order [][]int `json:"order"`
	Hues  [][]int `json:"hues"`
	// Runs hold for each frame where ascending runs begin, while they are few
	// enough to be seen; nil for sorts by digits.
	Runs [][]int `json:"runs,omitempty"`
}

func (d *data) animate(r run.Recording) animation {
	m := newMovie(r)
	// Marshal of plain numbers and texts cannot fail; its output escapes what
	// could end a script element.
	text, _ := json.Marshal(m)
	shown := stills(r, m)
	a := animation{
		ID:    slug("play-" + r.Case),
		Title: d.seriesOf(r.Cell, r.Env) + geometryOf(r.Cell) + ", " + kindOf(r.Cell).String(),
		Long:  len(shown) > longStrip,
		Data:  template.JS(text),
	}
	k := kindOf(r.Cell)
	a.Strip = Figure{ID: slug("steps-" + r.Case), KeyType: k.KeyType, Mode: k.Mode, Wide: true}
	a.Strip.draw(plot.Frames{Title: "The keys after each step that moved them", Frames: shown, W: 1140})
	n := networkOf(r, m)
	if n != nil {
		a.Network = &Figure{ID: slug("network-" + r.Case), KeyType: k.KeyType, Mode: k.Mode, Wide: true}
		a.Network.draw(n)
	}
	a.Note = noteOf(r, m, n)
	return a
}

// newMovie follows every key through the frames: the k-th of equal keys in one
// frame is the k-th of them in the next, as in a stable sort.
func newMovie(r run.Recording) movie {
	first := r.Frames[0].Keys
	m := movie{Ranks: make([]int, len(first))}
	byKey := make([]int, len(first))
	for i := range byKey {
		byKey[i] = i
	}
	slices.SortStableFunc(byKey, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
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
	byDigit := familyOf(r) == digits && byDigits(r.Frames)
	for _, f := range r.Frames {
		if byDigit {
			m.Hues = append(m.Hues, hues(f.Keys, first))
			continue
		}
		own := make([]int, len(first))
		for id, rank := range m.Ranks {
			own[id] = 100 * rank / len(first)
		}
		m.Hues = append(m.Hues, own)
		m.Runs = append(m.Runs, runs(f.Keys))
	}
	return m
}

// byDigits says whether a recording is of a sort by digits from the least
// significant on: some frame is in the order of its low bytes, but not sorted.
func byDigits(frames []run.Frame) bool {
	for _, f := range frames {
		if slices.IsSorted(f.Keys) {
			continue
		}
		for b := 8; b < 64; b += 8 {
			mask := ^uint64(0) >> (64 - b)
			if slices.IsSortedFunc(f.Keys, func(x, y uint64) int { return cmp.Compare(x&mask, y&mask) }) {
				return true
			}
		}
	}
	return false
}

// runs are the places where ascending runs begin, or none where the runs have
// fewer than four keys on average, as chance makes them.
func runs(keys []uint64) []int {
	at := []int{0}
	for i := 1; i < len(keys); i++ {
		if keys[i] < keys[i-1] {
			at = append(at, i)
		}
	}
	if 4*len(at) > len(keys) {
		return []int{}
	}
	return at
}

// hues are the colours of keys, given by ID, while they lie as now: by the low
// bytes that are in order so far, as least-significant-digit sorts leave them.
func hues(now, byID []uint64) []int {
	bits := 0
	for b := 8; b <= 64; b += 8 {
		mask := ^uint64(0) >> (64 - b)
		if slices.IsSortedFunc(now, func(x, y uint64) int { return cmp.Compare(x&mask, y&mask) }) {
			bits = b
		}
	}
	top := 1
	for _, k := range byID {
		top = max(top, bits64.Len64(k))
	}
	bits = min(bits, (top+7)/8*8)
	out := make([]int, len(byID))
	for i, k := range byID {
		out[i] = -1
		if bits > 0 {
			out[i] = int(100 * float64(k&(^uint64(0)>>(64-bits))) / math.Exp2(float64(bits)))
		}
	}
	return out
}

// stills are the frames that differ from the one before.
func stills(r run.Recording, m movie) (out []plot.Still) {
	for i, f := range r.Frames {
		if i > 0 && !f.Moved {
			continue
		}
		s := plot.Still{Label: f.Label}
		if m.Runs != nil {
			s.Runs = m.Runs[i]
		}
		for _, id := range m.Order[i] {
			s.Values = append(s.Values, float64(m.Ranks[id]+1)/float64(len(m.Ranks)))
			s.Hues = append(s.Hues, float64(m.Hues[i][id])/100)
		}
		out = append(out, s)
	}
	return out
}
