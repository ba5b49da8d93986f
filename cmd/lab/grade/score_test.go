package grade

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

func TestRubricErrors(t *testing.T) {
	const size = "[[size]]\nn = 10\npoints = 1\n"
	for _, c := range []struct{ text, want string }{
		{"", "no criteria"},
		{"colour = 1\n" + size, "unknown setting colour"},
		{"accept = [\"exe\"]\n" + size, "known are cl, cu, so"},
		{"key = \"u31\"\n" + size, "unknown key type"},
		{"distributions = [\"odd\"]\n" + size, "unknown distribution"},
		{"iterations = -1\n" + size, "at least 1"},
		{"iterations = 9223372036854775807\n" + size, "at most"},
		{"[[size]]\nn = 2\npoints = 1.7e308\n", "points are finite"},
		{"time_limit = \"soon\"\n" + size, "write it as"},
		{"time_limit = \"2562047h\"\nstart_limit = \"2562047h\"\n" + size, "at most 1000h"},
		{"[[size]]\nn = 10\n[[speed]]\nn = 10\nideal = 1.0", "no criterion gives points"},
		{"temp_limit = \"much\"\n" + size, "temp_limit"},
		{"[[size]]\nn = 1\npoints = 1", "sorted by doing nothing"},
		{"[[size]]\nn = -4", "negative"},
		{"[[size]]\nn = 10\npoints = -1", "points are finite and not negative"},
		{"[[size]]\nn = 10\npoints = nan", "points are finite"},
		{"[[size]]\nn = 10\npoints = inf", "points are finite"},
		{size + size, "size n = 10 stands there twice"},
		{"accept = []\n" + size, "names no kind"},
		{"[[speed]]\nn = 10\npoints = nan\nideal = 1.0", "points finite"},
		{"[[speed]]\nn = 10\npoints = 1\nideal = inf", "ideal +Inf"},
		{"[[speed]]\nn = 10\npoints = 1\nideal = -1.0\nideal_share = 0.5", "ideal -1"},
		{"[[bar]]\nmetric = \"launches\"\nn = 10\npoints = nan\nat_most = 1.0", "points finite"},
		{"[[bar]]\nmetric = \"launches\"\nn = 10\nat_least = 5\nat_most = 2", "no figure meets"},
		{"[[bar]]\nmetric = \"launches\"\nn = 10\nat_least = nan", "no figure meets"},
		{"[[size]]\nn = \"2^x\"", "2^x"},
		{"[[speed]]\nn = 10\npoints = 1", "either ideal"},
		{"[[speed]]\nn = 10\npoints = 1\nideal = 1.0\nideal_share = 1.0", "either ideal"},
		{"[[speed]]\nn = 10\nideal = 1.0\nuse = \"worst\"", "known are best, median"},
		{"[[bar]]\nmetric = \"beauty\"\nn = 10", "unknown metric"},
		{"[[bar]]\nmetric = \"launches\"\nn = 10", "at_least, at_most"},
		{"[[bar]]\nmetric = \"launches\"\nn = 1\nat_most = 1.0", "at least two"},
		{"[[bar]]\nmetric = \"launches\"\nn = 10\nat_most = 1.0\nunknown = \"maybe\"", "skip, zero"},
		{"[[bar]]\nmetric = \"launches\"\nn = 10\nat_most = 1.0\nunknown = \"full\"", "what was not seen earns nothing"},
		{"mode = \"heaps\"\n" + size, "known are keys, pairs, argsort"},
		{"order = \"up\"\n" + size, "known are ascending, descending"},
		{"stable = true\n" + size, "equal keys cannot be told apart"},
		{"mode = \"pairs\"\nvalue_bytes = 3\n" + size, "known are 4 and 8"},
		{"threads = -1\n" + size, "threads = -1"},
		{"[[speed]]\nn = 10\npoints = 1\nideal_share = 0.5\nreference = \"bogosort\"", "unknown sort \"bogosort\": known are"},
		{"[[speed]]\nn = 10\npoints = 1\nideal = 0.5\nreference = \"onesweep\"", "does nothing without ideal_share"},
	} {
		if _, err := ParseRubric(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestTitle: every grade has a title, in one line.
func TestTitle(t *testing.T) {
	for title, want := range map[string]string{"": "Grade", "title = \"\"": "Grade", "title = \" \\n \"": "Grade", "title = \"Lab\\n2\"": "Lab 2"} {
		if r, err := ParseRubric(title + "\n[[size]]\nn = 10\npoints = 1"); err != nil || r.Title != want {
			t.Errorf("%q: title %q, %v; want %q", title, r.Title, err, want)
		}
	}
}

func TestShippedRubrics(t *testing.T) {
	if b, err := os.ReadFile("../../../experiments/rubrics/demo.toml"); err != nil || string(b) != RubricTemplate() {
		t.Errorf("%v; demo.toml and templates/rubric.toml are the same", err)
	}
	all, err := filepath.Glob("../../../experiments/rubrics/*.toml")
	if err != nil || len(all) < 2 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, path := range all {
		if r, err := ReadRubric(t.Context(), path); err != nil || r.Title == "Grade" || r.Doc == "" {
			t.Errorf("%s: %v, title %q", path, err, r.Title)
		}
	}
}

// timedCase is one of three rounds with the same times.
func timedCase(n uint64, dist string, ns ...int64) Case {
	return Case{N: n, Dist: dist, Passed: true, NS: slices.Concat(ns, ns, ns), rounds: [][]int64{ns, ns, ns}}
}

// measured is a grading as it stands before the points are counted.
func measured(t *testing.T, rubric string) *grader {
	t.Helper()
	r, err := ParseRubric(rubric)
	if err != nil {
		t.Fatal(err)
	}
	g := &grader{r: r, info: map[uint64]wire.Info{}, others: map[string][]Case{}}
	g.rep = Report{Title: "T <&>", Submission: "x.cl", Kind: CL, Elapsed: time.Second, Cases: []Case{
		timedCase(1000, "sorted", 1000, 1000, 1000),
		timedCase(1000, "uniform", 4000, 2000, 3000), // best 500 Melem/s, median 333
		timedCase(2000, "sorted", 1, 1, 1),
		{N: 2000, Dist: "uniform", Reason: "out of order at position 7"},
	}}
	g.info[1000] = wire.Info{Launches: 10, Temp: 4000, Kernels: []wire.Kernel{
		{Name: "a", Launches: 9, Occupancy: 1}, {Name: "b", Launches: 1, Occupancy: 0.5, Limiter: "registers"}}}
	g.others[otherID("reference", "", 1000, "uniform")] = []Case{timedCase(1000, "", 900, 800, 1000)} // best 1250 Melem/s
	g.others[otherID("copy", "", 1000, copyDist)] = []Case{timedCase(1000, "", 200, 100)}
	return g
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		name, rubric string
		points, max  float64
		status       Status
		detail       string
	}{
		{"size", "[[size]]\nn = 1000\npoints = 3.0", 3, 3, Full, "24 runs"},
		{"wrong size", "[[size]]\nn = 2000\npoints = 3.0", 0, 3, None, "uniform: out of order"},
		{"speed", "[[speed]]\nn = 1000\npoints = 15.0\nideal = 1000.0", 7.5, 15, Partial, "500 Melem/s"},
		{"capped", "[[speed]]\nn = 1000\npoints = 15.0\nideal = 100.0", 15, 15, Full, ""},
		{"median", "[[speed]]\nn = 1000\npoints = 3.0\nideal = 1000.0\nuse = \"median\"", 1, 3, Partial, "median of 9"},
		{"share", "[[speed]]\nn = 1000\npoints = 10.0\nideal_share = 0.8", 5, 10, Partial, "0.8 of the reference's 1250"},
		{"fast but wrong", "[[speed]]\nn = 2000\ndist = \"sorted\"\npoints = 15.0\nideal = 1.0", 0, 15, None, "out of order"},
		{"occupancy", "[[bar]]\nmetric = \"occupancy\"\nn = 1000\nat_least = 0.9\npoints = 2.0", 2, 2, Full, "least 50.0 % in b (limited by registers)"},
		{"below", "[[bar]]\nmetric = \"occupancy\"\nn = 1000\nat_least = 0.96\npoints = 2.0", 0, 2, None, "95.0 %"},
		{"launches", "[[bar]]\nmetric = \"launches\"\nn = 1000\nat_most = 9.0\npoints = 2.0", 0, 2, None, "10 launches"},
		{"copy", "[[bar]]\nmetric = \"copy_share\"\nn = 1000\nat_least = 0.05\npoints = 2.0", 2, 2, Full, "0.05 of the copy"},
		{"temp", "[[bar]]\nmetric = \"temp_share\"\nn = 1000\nat_most = 1.0\npoints = 2.0", 2, 2, Full, "1 times"},
		{"rate", "[[bar]]\nmetric = \"melems\"\nn = 1000\nat_least = 501.0\npoints = 2.0", 0, 2, None, "500 Melem/s"},
		{"wrong bar", "[[bar]]\nmetric = \"launches\"\nn = 2000\nat_most = 9.0\npoints = 2.0", 0, 2, None, "out of order"},
	} {
		g := measured(t, c.rubric)
		g.score()
		i := g.rep.Items[0]
		if math.Abs(i.Points-c.points) > 1e-9 || i.Max != c.max || i.Status != c.status || !strings.Contains(i.Detail, c.detail) {
			t.Errorf("%s: %+v", c.name, i)
		}
		g = measured(t, c.rubric)
		g.rep.Refused = "patches the timer"
		if g.score(); g.rep.Score != 0 || g.rep.Max != c.max || g.rep.Items[0].Status != None {
			t.Errorf("%s, refused: %+v", c.name, g.rep.Items)
		}
	}
}

// TestNoise marks criteria whose points hang on one round.
func TestNoise(t *testing.T) {
	for _, c := range []struct {
		name      string
		rounds    [][]int64 // of the submission
		reference [][]int64
		rubric    string
		unstable  bool
	}{
		{"agree", [][]int64{{1000}, {1010}, {1020}, {9000}}, [][]int64{{500}, {501}, {502}}, "ideal_share = 1.0", false},
		{"one fast round", [][]int64{{1000}, {1200}, {1200}}, [][]int64{{500}, {500}, {500}}, "ideal_share = 1.0", true},
		{"reference of one fast round", [][]int64{{1000}, {1000}, {1000}}, [][]int64{{400}, {500}, {500}}, "ideal_share = 1.0", true},
		{"full marks either way", [][]int64{{100}, {200}, {200}}, [][]int64{{500}, {500}, {500}}, "ideal_share = 1.0", false},
		{"median", [][]int64{{1000}, {1010}, {1020}}, nil, "ideal = 2000.0\nuse = \"median\"", false},
		{"median of two kinds", [][]int64{{1000}, {1000}, {1500}, {1500}}, nil, "ideal = 2000.0\nuse = \"median\"", true},
	} {
		g := measured(t, "[[speed]]\nn = 1000\npoints = 10\n"+c.rubric)
		g.rep.Cases[1].rounds = c.rounds
		g.others[otherID("reference", "", 1000, "uniform")][0].rounds = c.reference
		g.score()
		if i := g.rep.Items[0]; i.Unstable != c.unstable || g.rep.Unstable != c.unstable || strings.Contains(i.Detail, "not measurable") != c.unstable {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
	g := measured(t, "[[speed]]\nn = 1000\npoints = 10\nideal = 100.0")
	g.empty = 1250
	if g.score(); !g.rep.Unstable || !strings.Contains(g.rep.Items[0].Detail, "less than two empty turns") {
		t.Errorf("a sort of less than an empty turn: %+v", g.rep.Items[0])
	}
}

// TestFreeTurns: a submission whose turns cost nothing gains the empty turn that is taken off. So
// what more than five per cent of the points hang on is marked, from how few empty turns on ever;
// and no unmarked criterion has more than that.
func TestFreeTurns(t *testing.T) {
	const empty = 100
	for sort := int64(1); sort <= 40*empty; sort += 7 {
		for _, rubric := range []string{"[[speed]]\nideal = 1000.0", "[[speed]]\nideal = 10000.0\nuse = \"median\"", "[[speed]]\nideal_share = 0.8",
			"[[bar]]\nmetric = \"melems\"\nat_least = 1000.0", "[[bar]]\nmetric = \"copy_share\"\nat_least = 0.1"} {
			g := measured(t, rubric+"\nn = 1000\npoints = 10\n")
			g.empty = empty
			taken := max(sort-empty, empty) // a turn that costs nothing beside the sort
			g.rep.Cases[1] = timedCase(1000, "uniform", taken, taken, taken)
			fair := measured(t, rubric+"\nn = 1000\npoints = 10\n")
			fair.rep.Cases[1] = timedCase(1000, "uniform", sort, sort, sort)
			g.score()
			fair.score()
			if gain := g.rep.Score - fair.rep.Score; gain > 0.06*max(fair.rep.Score, 0.1) && !g.rep.Unstable {
				t.Errorf("%s: a sort of %d with free turns of %d has %g points, unmarked, not %g", rubric, sort, empty, g.rep.Score, fair.rep.Score)
			}
			if i := g.rep.Items[0]; sort > 25*empty && i.Unstable && rubric[:5] != "[[bar" {
				t.Errorf("%s: a sort of %d is marked: %s", rubric, sort, i.Detail)
			}
		}
	}
}

// TestBusy marks what was measured while others ran, unless it earned all.
func TestBusy(t *testing.T) {
	for _, c := range []struct {
		ideal    string
		busy     float64
		unstable bool
	}{{"1000.0", 0.5, true}, {"1000.0", 0.1, false}, {"100.0", 0.5, false}} {
		g := measured(t, "[[speed]]\nn = 1000\npoints = 10\nideal = "+c.ideal)
		g.busy = map[uint64]float64{1000: c.busy}
		if g.score(); g.rep.Unstable != c.unstable || strings.Contains(g.rep.Items[0].Detail, "other programs used 50 %") != c.unstable {
			t.Errorf("%+v: %+v", c, g.rep.Items[0])
		}
	}
}

func TestUnknownMetrics(t *testing.T) {
	for unknown, want := range map[string][2]float64{"skip": {0, 0}, "zero": {0, 2}} {
		g := measured(t, "[[bar]]\nmetric = \"occupancy\"\nn = 1000\nat_least = 0.9\npoints = 2.0\nunknown = \""+unknown+"\"")
		g.info[1000] = wire.Info{Launches: 10, Kernels: []wire.Kernel{{Name: "a", Launches: 10}}, NoOccupancy: "opencl does not tell its registers"}
		g.score()
		if got := [2]float64{g.rep.Score, g.rep.Max}; got != want || !strings.Contains(g.rep.Items[0].Detail, "not measured: opencl") {
			t.Errorf("%s: %v, %+v", unknown, got, g.rep.Items)
		}
	}
}

func TestFormats(t *testing.T) {
	g := measured(t, "[[size]]\nn = 1000\npoints = 3.0\n[[size]]\nn = 2000\npoints = 1.0\n[[bar]]\nmetric = \"occupancy\"\nn = 1000\nat_least = 0.9\npoints = 2.0")
	delete(g.info, 1000)
	g.score()
	write := func(format string) []byte {
		var b bytes.Buffer
		if err := g.rep.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var rep Report
	if err := json.Unmarshal(write(FormatJSON), &rep); err != nil || rep.Score != 3 || rep.Max != 4 || len(rep.Cases) != 4 {
		t.Errorf("json: %v, %+v", err, rep)
	}
	var gs struct {
		Score float64
		Tests []struct {
			Name      string
			Score     float64
			Max_score float64
			Status    string
		}
	}
	if err := json.Unmarshal(write(FormatGradescope), &gs); err != nil || gs.Score != 3 || len(gs.Tests) != 3 ||
		gs.Tests[0].Status != "passed" || gs.Tests[1].Status != "failed" || gs.Tests[0].Max_score != 3 {
		t.Errorf("gradescope: %v, %+v", err, gs)
	}
	var suite junitSuite
	if err := xml.Unmarshal(write(FormatJUnit), &suite); err != nil || suite.Name != "T <&>" || suite.Tests != 3 || suite.Failures != 1 || suite.Skipped != 1 ||
		suite.Cases[1].Failure == nil || !strings.Contains(suite.Cases[1].Failure.Message, "out of order at position 7") {
		t.Errorf("junit: %v, %+v", err, suite)
	}
	if err := g.rep.Write(&bytes.Buffer{}, "pdf"); err == nil {
		t.Error("pdf was written")
	}
}

// TestMedianOfAnEvenNumber: points for use = "median" are not those of a slower
// run.
func TestMedianOfAnEvenNumber(t *testing.T) {
	c := Case{N: 1000, rounds: [][]int64{{400, 100}, {300, 200}, {500, 600}, {700, 700}}}
	for _, x := range []struct {
		use  string
		slow bool
		want float64
	}{{"best", false, 1e4}, {"median", false, 1e6 / 450}, {"best", true, 2e3}, {"median", true, 1e6 / 700}} {
		if got := c.rate(x.use, x.slow); math.Abs(got-x.want) > 1e-6 {
			t.Errorf("%s, slow %v: %g Melem/s, want %g", x.use, x.slow, got, x.want)
		}
	}
}
