package grid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// one judges auto against cub-radix over records of one cell in each file.
func one(t *testing.T, files ...[]result.Record) Cell {
	t.Helper()
	var in []File
	for _, f := range files {
		in = append(in, File{Path: "x", Records: f})
	}
	// Another cell keeps the page from having none.
	in = append(in, File{Path: "y", Records: cell("f64", "keys", "uniform", 4096, 1, 2, 2)})
	p := judged(t, in, Options{Of: "auto", Against: []string{"cub-radix"}})
	for _, c := range p.Cells {
		if c.Form != "f64 keys" {
			return c
		}
	}
	t.Fatal("the cell is not there")
	return Cell{}
}

func TestOnlyTurnsAreMatched(t *testing.T) {
	auto := record("auto", "u32", "keys", "uniform", 4096, 10, firstDay)
	cub := record("cub-radix", "u32", "keys", "uniform", 4096, 20, firstDay)
	change := func(f func(*result.Record)) result.Record {
		r := cub
		f(&r)
		return r
	}
	for name, c := range map[string]struct {
		files   [][]result.Record
		matched bool
		want    string
	}{
		"in turns":       {[][]result.Record{{auto, cub}}, true, ""},
		"another file":   {[][]result.Record{{auto}, {cub}}, false, "in another run"},
		"another run":    {[][]result.Record{{auto, change(func(r *result.Record) { r.Env.Started = secondDay })}}, false, "in another run"},
		"another seed":   {[][]result.Record{{auto, change(func(r *result.Record) { r.Seed = 2 })}}, false, "in another run"},
		"another n":      {[][]result.Record{{auto, change(func(r *result.Record) { r.Items = 4097 })}}, false, "no peer was measured"},
		"another card":   {[][]result.Record{{auto, change(func(r *result.Record) { r.Env.Device = "B card" })}}, false, "no peer was measured"},
		"warm":           {[][]result.Record{{auto, change(func(r *result.Record) { r.Warm = true })}}, false, "no peer was measured"},
		"the peer fails": {[][]result.Record{{auto, refused(cub, result.Failed, "wrong")}}, false, "failed, wrong"},
		"no times":       {[][]result.Record{{auto, change(func(r *result.Record) { r.DeviceNS, r.WallNS = nil, []int64{5} })}}, false, "no device times"},
		"a time of zero": {[][]result.Record{{auto, change(func(r *result.Record) { r.DeviceNS = []int64{0, 1, 2} })}}, false, "time of zero"},
	} {
		got := one(t, c.files...)
		if got.Peer != "" != c.matched || !strings.Contains(got.Unmatched, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestLaterRunCounts(t *testing.T) {
	pair := func(us float64, begun string) []result.Record {
		return []result.Record{record("auto", "u32", "keys", "uniform", 4096, us, begun), record("cub-radix", "u32", "keys", "uniform", 4096, 20, begun)}
	}
	failed := pair(10, secondDay)
	failed[0] = refused(failed[0], result.Failed, "wrong")
	if c := one(t, pair(10, secondDay), pair(5, firstDay)); c.NS != 10e3 {
		t.Errorf("an earlier run after a later one: %+v", c)
	}
	if c := one(t, pair(10, firstDay), pair(5, firstDay)); c.NS != 5e3 {
		t.Errorf("two files of one moment: %+v", c)
	}
	if c := one(t, pair(10, firstDay), pair(5, secondDay)[:1]); c.NS != 10e3 || c.Peer == "" {
		t.Errorf("a later run without a peer: %+v", c)
	}
	two := append(pair(10, firstDay), record("cub-radix-db", "u32", "keys", "uniform", 4096, 12, firstDay))
	p := judged(t, []File{{Path: "x", Records: two}, {Path: "y", Records: pair(5, secondDay)}}, both)
	if c := p.Cells[0]; c.NS != 10e3 || c.Peer != "cub-radix-db" || p.Replaced != 1 {
		t.Errorf("a later run with fewer peers: %+v", c)
	}
	newer := pair(5, secondDay)
	for i := range newer {
		newer[i].Env.Commit = "another"
	}
	if c := one(t, two, newer); c.NS != 5e3 || c.Peer != "cub-radix" {
		t.Errorf("a later run of other code with fewer peers: %+v", c)
	}
	if c := one(t, newer, two); c.NS != 5e3 {
		t.Errorf("an earlier run of other code with more peers: %+v", c)
	}
	if c := one(t, two, newer[:1]); c.NS != 10e3 {
		t.Errorf("a later run of other code without a peer: %+v", c)
	}
	if c := one(t, pair(10, firstDay), failed[:1]); c.Status != result.Failed {
		t.Errorf("a later failure without a peer: %+v", c)
	}
}

func TestArgsortIsJudgedByPairs(t *testing.T) {
	arg := record("auto", "u32", "argsort", "uniform", 4096, 10, firstDay)
	pairs := func(us float64, begun string) result.Record {
		return record("cub-radix", "u32", "pairs", "uniform", 4096, us, begun)
	}
	wide := pairs(3, firstDay)
	wide.ValueBytes = 8
	if c := one(t, []result.Record{arg, wide, pairs(20, firstDay), pairs(40, secondDay)}); c.PeerNS != 20e3 || c.PeerMode != "pairs" {
		t.Errorf("pairs of the same run: %+v", c)
	}
	if c := one(t, []result.Record{arg, pairs(20, "2026-01-01T00:00:00Z"), pairs(40, secondDay)}); c.PeerNS != 40e3 {
		t.Errorf("the last run's pairs: %+v", c)
	}
	own := record("cub-radix", "u32", "argsort", "uniform", 4096, 50, firstDay)
	if c := one(t, []result.Record{arg, own, pairs(20, firstDay)}); c.PeerNS != 20e3 || c.Made != 5 {
		t.Errorf("pairs, and an argsort in turns: %+v", c)
	}
	if c := one(t, []result.Record{arg, own}); c.PeerNS != 50e3 || c.PeerMode != "" || c.Made != 5 {
		t.Errorf("an argsort in turns alone: %+v", c)
	}
	if c := one(t, []result.Record{arg}, []result.Record{pairs(20, firstDay)}); c.Peer != "" {
		t.Errorf("pairs of another file: %+v", c)
	}
}

func TestErrors(t *testing.T) {
	files := planted()
	for want, o := range map[string]Options{
		`no result of "quick": the files have auto, cub-radix, cub-radix-db, other`: {Of: "quick", Against: []string{"cub-radix"}},
		`no result of "cub": the files have auto`:                                   {Of: "auto", Against: []string{"cub-radix", "cub"}},
		"cannot be its own peer":                                                    {Of: "auto", Against: []string{"auto"}},
		"no peer is named":                                                          {Of: "auto"},
	} {
		if _, err := Judge(files, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	alone := []File{{Records: []result.Record{record("auto", "u32", "keys", "uniform", 8, 1, firstDay), record("cub-radix", "u32", "keys", "uniform", 8, 1, secondDay)}}}
	if _, err := Judge(alone, Options{Of: "auto", Against: []string{"cub-radix"}}); err == nil || !strings.Contains(err.Error(), "in one run, -a 'Algo=[auto,cub-radix]'") {
		t.Errorf("nothing matched: %v", err)
	}
	if _, err := Judge([]File{{}}, both); err == nil || !strings.Contains(err.Error(), "no results") {
		t.Errorf("empty files: %v", err)
	}
}

func TestJSONComesBack(t *testing.T) {
	var b bytes.Buffer
	p := judged(t, planted(), both)
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back Page
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back.Cells) != len(p.Cells) || back.Parts[0].GeoMean != p.Parts[0].GeoMean || back.Losses[0].Lo != p.Losses[0].Lo {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestTablesLineUp: all rows of a table are as long as their heading.
func TestTablesLineUp(t *testing.T) {
	var b bytes.Buffer
	if err := judged(t, planted(), both).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	width := 0
	for _, line := range strings.Split(b.String(), "\n") {
		n := len([]rune(line))
		switch {
		case !strings.HasPrefix(line, "|"):
			width = 0
			if n > lineWidth && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "    ") {
				t.Errorf("%d characters: %s", n, line)
			}
		case width == 0:
			width = n
		case n != width:
			t.Errorf("%d characters below %d: %s", n, width, line)
		}
	}
}

// TestCliffsOfOneFile: an input is set against uniform keys of its own file, if
// it has them, even if the page shows others.
func TestCliffsOfOneFile(t *testing.T) {
	grid := cell("u32", "keys", "uniform", 4096, 10, 20, 20)
	hard := append(cell("u32", "keys", "uniform", 4096, 20, 40, 40)[:2], cell("u32", "keys", "zipf", 4096, 30, 40, 40)[:2]...)
	p := judged(t, []File{{Path: "grid", Records: grid}, {Path: "hard", Records: hard}}, both)
	if len(p.Steepest) != 1 || p.Steepest[0].Ratio != 1.5 || p.Cells[0].NS != 10e3 {
		t.Errorf("%+v of %+v", p.Steepest, p.Cells)
	}
	p = judged(t, []File{{Path: "grid", Records: grid}, {Path: "hard", Records: hard[2:]}}, both)
	if len(p.Cliffs) != 1 || p.Cliffs[0].Ratio != 3 {
		t.Errorf("of two files: %+v", p.Cliffs)
	}
}

// TestHTML: the same page, escaped, with nothing from a network and no script.
func TestHTML(t *testing.T) {
	files := planted()
	for i := range files[0].Records {
		if r := &files[0].Records[i]; r.Status == result.Failed {
			r.Reason += " <script>"
		}
	}
	files[1].Link = "javascript:alert(1)"
	var b bytes.Buffer
	if err := judged(t, files, both).WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<title>auto against cub-radix and cub-radix-db</title>", "<h2>Losses</h2>", "<strong>50.8 (0.91)</strong>", "2<sup>24</sup>",
		`<a href="data/a.jsonl">a.jsonl</a>: `, "out of order &lt;script&gt;", `<td class="num">0.909</td>`, "<pre><code>gpusort bench",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<script", `href="javascript`, "http:", "https:", "**"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is there", bad)
		}
	}
	depth := strings.Count(b.String(), "<table>") - strings.Count(b.String(), "</tbody></table>")
	if depth != 0 {
		t.Errorf("%d tables are not closed", depth)
	}
}

// TestRises: the step at which a few more keys cost much.
func TestRises(t *testing.T) {
	var recs []result.Record
	for _, x := range []struct {
		n  uint64
		us float64
	}{{2000, 26}, {100, 10}, {1000, 10}, {1100, 22}} {
		recs = append(recs, cell("u32", "keys", "uniform", x.n, x.us, 40, 40)...)
	}
	p := judged(t, []File{{Path: "x", Records: recs}}, both)
	if len(p.Rises) != 1 || p.Rises[0].From != 1000 || p.Rises[0].To != 1100 || math.Abs(p.Rises[0].Ratio-2) > 1e-9 || p.Rises[0].Chosen != "block-radix, onesweep" {
		t.Errorf("%+v", p.Rises)
	}
}

// TestManyInputs: those with few sizes are rows of a table of their own.
func TestManyInputs(t *testing.T) {
	var recs []result.Record
	for i := range wide + 3 {
		for n := uint64(1 << 8); n <= 1<<20; n <<= 4 {
			if i < 3 || n == 1<<16 {
				recs = append(recs, cell("u32", "keys", fmt.Sprintf("input-%d", i), n, 10, 20, 20)...)
			}
		}
	}
	var b bytes.Buffer
	if err := judged(t, []File{{Path: "x", Records: recs}}, both).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### u32 keys\n\n| n    | chosen      |        input-0 |        input-1 |        input-2 |\n",
		"### u32 keys, more inputs\n\n| input    |           2^16 |\n|----------|---------------:|\n| chosen   |       onesweep |\n| input-3  | 10.0 µs (2.00) |\n",
		"| input-14 | 10.0 µs (2.00) |\n\n## Environment",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestParagraphsBeginNoList(t *testing.T) {
	for n := range lineWidth {
		text := wrap(strings.Repeat("x", n+1) + " 1. next")
		if slices.ContainsFunc(strings.Split(text, "\n"), func(l string) bool { return strings.HasPrefix(l, "1.") }) {
			t.Fatalf("after %d characters: %q", n+1, text)
		}
	}
}

func TestHostBehind(t *testing.T) {
	ours, peer := record("auto", "u32", "keys", "uniform", 4096, 10, firstDay), record("cub-radix", "u32", "keys", "uniform", 4096, 20, firstDay)
	ours.Behind = 2
	p := judged(t, []File{{Path: "x", Records: []result.Record{ours, peer}}}, Options{Of: "auto", Against: []string{"cub-radix"}})
	var text bytes.Buffer
	if err := p.WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	if want := "host behind: 1 ratio with samples"; p.Behind != 1 || !strings.Contains(text.String(), want) {
		t.Errorf("%d ratios, want 1, and %q on the page", p.Behind, want)
	}
}
