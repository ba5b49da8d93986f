package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/occupancy"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// sectionIDs are all sections, in the order of the page.
var sectionIDs = []string{"verdict", "throughput", "inputs", "entropy", "geometry", "roofline", "timeline", "samples", "animation", "environment", "words", "data"}

var testEnv = result.Env{Commit: "abc", Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "A processor", Procs: 4, Device: "A card", DriverVersion: "1.2", Command: "gpusort bench x.toml --json r.jsonl", Started: "2026-01-02T03:04:05Z"}

// measured makes an OK record of a sort with a fixed cost and a rate.
func measured(algo, device, keyType, dist string, n uint64, startNS, perKeyNS float64, change func(*result.Record)) result.Record {
	backend, _, _ := strings.Cut(device, ":")
	r := result.Record{
		Cell:   result.Cell{Algo: algo, Backend: backend, DeviceID: device, KeyType: keyType, Mode: "keys", Dist: dist, Items: n, Input: run.Fresh, Seed: 1},
		Source: "catalog", Status: result.OK, Env: testEnv,
	}
	rng := rand.New(rand.NewPCG(n, uint64(len(algo))))
	for range 15 {
		ns := (startNS + perKeyNS*float64(n)) * (1 + 0.02*rng.Float64())
		if backend != "cpu" {
			r.DeviceNS = append(r.DeviceNS, int64(ns))
			ns += 8000 + float64(n)*0.2
			r.MinBytes = 36 * n
		}
		r.WallNS = append(r.WallNS, int64(ns))
	}
	if change != nil {
		change(&r)
	}
	r.Finish()
	return r
}

var sorts = []struct {
	algo, device    string
	start, perKeyNS float64
}{{"onesweep", "cuda:0", 12000, 0.05}, {"radix-lsd", "opencl:0", 40000, 0.1}, {"cpu-radix", "cpu", 300, 1}}

// full has data for every section.
func full() Input {
	var in Input
	for _, s := range sorts {
		for _, key := range []string{"u32", "u64"} {
			for e := 8; e <= 24; e += 4 {
				in.Records = append(in.Records, measured(s.algo, s.device, key, "uniform", 1<<e, s.start, s.perKeyNS, nil))
			}
		}
		for i, dist := range []string{"sorted", "zipf", "entropy-1.000", "entropy-0.544", "entropy-0.000"} {
			in.Records = append(in.Records, measured(s.algo, s.device, "u32", dist, 1<<20, s.start, s.perKeyNS/float64(i+1), nil))
		}
	}
	cell := result.Cell{Algo: "onesweep", Backend: "cuda", DeviceID: "cuda:0", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: 1 << 20, Input: run.Fresh, Seed: 1}
	for _, b := range []uint32{66, 132} {
		for _, th := range []uint32{128, 256} {
			in.Records = append(in.Records, measured("onesweep", "cuda:0", "u32", "uniform", 1<<20, 12000, 0.05+float64(b+th)/1e4, func(r *result.Record) { r.Blocks, r.Threads = b, th }))
			c := cell
			c.Blocks, c.Threads = b, th
			in.Profiles = append(in.Profiles, profile(c))
		}
	}
	in.Profiles = append(in.Profiles, profile(cell))
	in.Recordings = []run.Recording{recording(cell)}
	in.tidy()
	return in
}

func profile(c result.Cell) run.Profile {
	p := run.Profile{Cell: c, Case: c.ID(), Status: "ok", Env: testEnv, NS: 100000, CopyGBps: 4000, MinBytes: 36 << 20,
		Upload: run.TransferProfile{NS: 200000, Bytes: 4 << 20}, Download: run.TransferProfile{NS: 210000, Bytes: 4 << 20}}
	for i := range 4 {
		p.Steps = append(p.Steps, run.StepProfile{Label: fmt.Sprintf("digit pass %d", i), Op: "launch", Kernel: "k", NS: 25000, MinBytes: 8 << 20,
			Grid: 132, Threads: 256, Occupancy: &occupancy.Result{Blocks: 2, Share: 0.5, Limiter: "registers"}})
	}
	return p
}

func recording(c result.Cell) run.Recording {
	c.Items = 16
	keys := []uint64{9, 3, 3, 200, 14, 0, 77, 5, 9, 1, 2, 250, 31, 8, 6, 4}
	r := run.Recording{Cell: c, Case: c.ID(), Env: testEnv, Frames: []run.Frame{{Label: "input", Keys: keys, Where: "keys"}}}
	for pass := range 2 {
		r.Frames = append(r.Frames, run.Frame{Label: "count", Keys: keys, Where: "keys"})
		keys = slices.Clone(keys)
		slices.SortStableFunc(keys, func(a, b uint64) int { return int(a>>(4*pass)&15) - int(b>>(4*pass)&15) })
		r.Frames = append(r.Frames, run.Frame{Label: "move", Keys: keys, Where: "scratch", Moved: true})
	}
	return r
}

func pageOf(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, in, "A <title> & more"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSectionsInOrder(t *testing.T) {
	text := pageOf(t, full())
	at := 0
	for _, id := range sectionIDs {
		i := strings.Index(text[at:], `<section id="`+id+`">`)
		if i < 0 {
			t.Fatalf("section %s is missing or out of order", id)
		}
		at += i
	}
	if strings.Contains(text, `class="missing"`) {
		t.Error("a section is empty although there are data for all")
	}
	words, rest, _ := strings.Cut(text[strings.Index(text, `<section id="words">`):], "</section>")
	if !strings.Contains(words, "<dt>median</dt>") || !strings.Contains(words, "<dt>uniform (input)</dt>") {
		t.Errorf("the glossary: %s", words)
	}
	text = text[:strings.Index(text, `<section id="words">`)] + rest // an input's description may say NaN
	for _, bad := range []string{"NaN", "+Inf", "http://", "https://", "ZgotmplZ", "<no value>", "A <title>"} {
		if i := strings.Index(text, bad); i >= 0 {
			t.Errorf("the page holds %q: …%s…", bad, text[max(0, i-80):i+40])
		}
	}
	for _, want := range []string{"gpusort bench x.toml --json r.jsonl", "digit pass 2", "50 % occ.", "stream_in(file(", "A card (driver 1.2)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestEmptySectionsSayWhatToRun(t *testing.T) {
	in := Input{Records: []result.Record{measured("cpu-radix", "cpu", "u32", "uniform", 1000, 0, 1, nil)}}
	text := pageOf(t, in)
	if n := strings.Count(text, `<dt id="`); n != 9 {
		t.Errorf("%d sections say what to run, want all but verdict, samples, environment and data", n)
	}
	if n := strings.Count(text, "<dd><pre class=\"copy\"><code>gpusort "); n != 9 {
		t.Errorf("%d of the empty sections name a command", n)
	}
}

func TestVerdict(t *testing.T) {
	v := newVerdict(newData(full()))
	if !v.Correct || !strings.Contains(v.Badge, "verified") {
		t.Errorf("badge %q", v.Badge)
	}
	all := strings.Join(v.Headlines, "\n")
	// cpu-radix: 300 + n; onesweep end to end: 20000 + 0.25 n. They meet at 26,267.
	want := "u32 keys, uniform, end to end: cpu-radix · cpu is fastest up to n = 2^12, onesweep · cuda:0 from n = 2^16; they cross near n = "
	i := strings.Index(all, want)
	if i < 0 {
		t.Fatalf("headlines:\n%s", all)
	}
	var thousands, rest int
	if _, err := fmt.Sscanf(strings.ReplaceAll(all[i+len(want):], "\u00a0", " "), "%d %d", &thousands, &rest); err != nil || thousands < 18 || thousands > 38 {
		t.Errorf("the crossing is %d thousand (%v), want about 26", thousands, err)
	}
	in := full()
	in.Records[3].Status, in.Records[3].Reason = result.Failed, "wrong at 7"
	in.tidy()
	if v := newVerdict(newData(in)); v.Correct || !strings.Contains(v.Badge, "1 of ") {
		t.Errorf("with a failed cell the badge is %q", v.Badge)
	}
}

func TestTiesAreNotWins(t *testing.T) {
	in := Input{Records: []result.Record{
		measured("aaa", "cpu", "u32", "uniform", 1<<16, 0, 1, nil), measured("bbb", "cpu", "u32", "uniform", 1<<16, 0, 1.001, nil),
	}}
	v := newVerdict(newData(in))
	if !v.Tables[0].Rows[0].End.Tie || !strings.Contains(v.Tables[0].Rows[0].End.Margin, "not told apart") {
		t.Errorf("%+v", v.Tables[0].Rows[0])
	}
}

func TestWarnings(t *testing.T) {
	in := full()
	r := &in.Records[0]
	r.DeviceNS = []int64{100, 900, 5000}
	r.Env.LoadAverage, r.Env.Modified = 9, true
	in.Records[2].WallNS = []int64{1}              // less than its device time
	in.Records[len(in.Records)-1].Input = run.Same // of a card, which learns nothing
	small := slices.IndexFunc(in.Records, func(r result.Record) bool { return r.Backend == "cpu" && r.Items == 1<<8 })
	in.Records[small].Input = ""
	r.After = &result.Clocks{SMMHz: 900, Throttle: []string{"power-cap"}}
	in.Records = append(in.Records, in.Records[1])
	in.tidy()
	got := strings.Join(warnings(newData(in)), "\n")
	for _, want := range []string{"Noise: in 1 of", "fewer than 6", "power-cap", "other programs used 100 %", "changed work tree", "more than once",
		"1 small host cells sorted the same keys", "In 1 of 49 cells the time with transfers is below"} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning with %q in:\n%s", want, got)
		}
	}
	if w := warnings(newData(full())); len(w) != 0 {
		t.Errorf("warnings without a cause: %v", w)
	}
}

// TestTwoMachinesOneID: "cuda:0" of two files is not one card.
func TestTwoMachinesOneID(t *testing.T) {
	in := full()
	for _, r := range full().Records {
		r.Env.Device = "Another card"
		in.Records = append(in.Records, r)
	}
	before := len(in.Records)
	in.tidy()
	d := newData(in)
	// The host's records are the same ones twice.
	if in.Replaced != 15 || len(in.Records) != before-15 {
		t.Errorf("%d of %d records replaced, want the host's 15", in.Replaced, before)
	}
	for _, want := range []string{"onesweep · cuda:0 A card", "onesweep · cuda:0 Another card", "cpu-radix · cpu"} {
		if _, ok := d.style[want]; !ok {
			t.Errorf("no series %q in %q", want, d.series)
		}
	}
}

// TestFigures writes every figure in both formats.
func TestFigures(t *testing.T) {
	ids := map[string]bool{}
	for _, f := range Figures(full()) {
		if ids[f.ID] || f.ID == "" {
			t.Errorf("the ID %q is not of one figure", f.ID)
		}
		ids[f.ID] = true
		var svg, png bytes.Buffer
		if err := f.Plot.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, f.ID, svg.String())
		if err := f.Plot.WritePNG(&png, 1); err != nil || !bytes.HasPrefix(png.Bytes(), []byte("\x89PNG")) {
			t.Errorf("%s as PNG: %v", f.ID, err)
		}
	}
	for _, name := range []string{"throughput", "inputs", "entropy", "geometry", "roofline", "timeline", "samples"} {
		if _, _, err := Find(Figures(full()), name); err != nil {
			t.Error(err)
		}
	}
	in := full()
	for i := range in.Records {
		r := &in.Records[i]
		if r.Algo == "onesweep" && r.KeyType == "u32" && r.Items < 1<<16 {
			more := *r
			more.MaxValue, more.Threads = 1000, 128
			in.Records = append(in.Records, more)
			more.MaxValue = 0
			in.Records = append(in.Records, more)
		}
	}
	in.tidy()
	for _, name := range []string{"time", "bandwidth", "geometries", "max-value"} {
		if _, _, err := Find(Figures(in), name); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := Find(Figures(full()), "through"); err == nil {
		t.Error("part of a word found a figure")
	}
}

func wellFormed(t *testing.T, id, svg string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s is no XML: %v", id, err)
		}
	}
	for _, bad := range []string{"NaN", "Inf"} {
		if strings.Contains(svg, bad) {
			t.Errorf("%s holds %s", id, bad)
		}
	}
}

func TestReadTellsFilesApart(t *testing.T) {
	dir := t.TempDir()
	in := full()
	var lines bytes.Buffer
	for _, r := range in.Records {
		if err := result.WriteJSON(&lines, r); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name string, b []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	profiles, _ := json.Marshal(in.Profiles)
	recs, _ := json.Marshal(in.Recordings)
	got, err := Read([]string{put("r.jsonl", lines.Bytes()), put("p.json", profiles), put("s.json", recs)})
	if err != nil || len(got.Records) != len(in.Records) || len(got.Profiles) != len(in.Profiles) || len(got.Recordings) != 1 {
		t.Fatalf("%d records, %d profiles, %d recordings: %v", len(got.Records), len(got.Profiles), len(got.Recordings), err)
	}
	if err := got.Only("KeyT", []string{"u64"}); err != nil || len(got.Records) != 15 {
		t.Errorf("%d records of u64: %v", len(got.Records), err)
	}
	if err := got.Only("KeyT", []string{"f16"}); err == nil {
		t.Error("no result is left, and no error")
	}
	for name, text := range map[string]string{"empty": "", "toml": "[[run]]\naxes = []", "list": "[1]", "other": "[{}]"} {
		if _, err := Read([]string{put(name, []byte(text))}); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}
