package grid

import (
	"bytes"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/compare"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

var update = flag.Bool("update", false, "rewrite testdata")

const (
	firstDay  = "2026-01-02T03:04:05Z"
	secondDay = "2026-01-03T03:04:05Z"
)

// record is a measured cell with seven samples around us microseconds.
func record(algo, keyType, mode, dist string, n uint64, us float64, begun string) result.Record {
	r := result.Record{
		Cell:   result.Cell{Algo: algo, Backend: "cuda", DeviceID: "cuda:0", KeyType: keyType, Mode: mode, Dist: dist, Items: n, Seed: 1},
		Source: "catalog", Status: result.OK,
		Before: &result.Clocks{SMMHz: 1980, MemoryMHz: 3201, PowerW: 120, TempC: 40},
		Env: result.Env{Commit: "abc", Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "A processor", Procs: 4, Device: "A card",
			DriverVersion: "1.2", Command: "gpusort bench x.toml --json=" + begun[:10] + ".jsonl", Started: begun},
	}
	if mode != "keys" {
		r.ValueBytes = 4
	}
	if algo == "auto" {
		r.Chosen = "onesweep"
		if n <= 1024 {
			r.Chosen = "block-radix"
		}
	} else {
		r.Source, r.Policy = "libpeers.so", "CUB 3.0.1"
	}
	for _, off := range []float64{0, 0.01, -0.01, 0.02, -0.02, 0.005, -0.005} {
		r.DeviceNS = append(r.DeviceNS, int64(1000*us*(1+off)))
	}
	return r
}

// refused makes a record one without a result.
func refused(r result.Record, status result.Status, reason string) result.Record {
	r.Status, r.Reason, r.DeviceNS = status, reason, nil
	return r
}

// cell is one input that auto and both peers sorted in turns.
func cell(keyType, mode, dist string, n uint64, auto, cub, db float64) []result.Record {
	return []result.Record{
		record("auto", keyType, mode, dist, n, auto, firstDay), record("cub-radix", keyType, mode, dist, n, cub, firstDay),
		record("cub-radix-db", keyType, mode, dist, n, db, firstDay),
	}
}

// planted has a loss (zipf), a cliff (sorted), a failed, an unsupported and two
// unmatched cells, and one that a second file measures again.
func planted() []File {
	var a []result.Record
	add := func(rs ...result.Record) { a = append(a, rs...) }
	add(cell("u32", "keys", "uniform", 1<<24, 300, 600, 610)...)
	add(cell("u32", "keys", "sorted", 1<<24, 660, 700, 690)...)
	add(cell("u32", "keys", "zipf", 1<<24, 330, 320, 300)...)
	add(cell("u32", "keys", "uniform", 1<<10, 8, 14, 15)...)
	add(cell("u32", "keys", "sorted", 1<<10, 8, 14, 15)...)
	add(cell("u32", "keys", "uniform", 1000, 7, 14, 15)...)
	add(cell("u32", "pairs", "uniform", 1<<24, 400, 808, 800)...)
	arg := cell("u32", "argsort", "uniform", 1<<24, 420, 1050, 1)
	arg[2] = refused(arg[2], result.Unsupported, "argsort is not supported")
	add(arg...)
	bad := cell("u64", "keys", "uniform", 1<<24, 1, 900, 900)
	bad[0] = refused(bad[0], result.Failed, "position 7 is\nout of order")
	add(bad...)
	small := cell("u64", "keys", "uniform", 1<<10, 9, 70, 60)
	small[2] = refused(small[2], result.Failed, "launch | failed")
	add(small...)
	add(record("auto", "u64", "keys", "sorted", 1<<10, 9, firstDay), record("cub-radix", "u64", "keys", "sorted", 1<<10, 60, secondDay))
	add(record("auto", "u64", "keys", "zipf", 1<<10, 9, firstDay))
	f64 := record("auto", "f64", "keys", "uniform", 1<<30, 9, firstDay)
	add(refused(f64, result.Unsupported, "no memory"))
	own := record("cub-radix", "u32", "keys", "uniform", 1<<24, 1, firstDay)
	own.Threads = 128
	add(own, record("cub-radix", "u32", "keys", "constant", 1<<24, 500, firstDay), record("other", "u32", "keys", "uniform", 1<<24, 1, firstDay))

	again := cell("u32", "keys", "uniform", 1<<10, 6, 12, 13)
	for i := range again {
		again[i].Env.Started = secondDay
	}
	return []File{{Path: "data/a.jsonl", Records: a}, {Path: "data/b.jsonl.gz", Link: "raw/b.jsonl.gz", Records: again}}
}

var both = Options{Of: "auto", Against: []string{"cub-radix", "cub-radix-db"}, Command: "gpusort report a.jsonl b.jsonl"}

func judged(t *testing.T, files []File, o Options) Page {
	t.Helper()
	p, err := Judge(files, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGoldenPage(t *testing.T) {
	var got bytes.Buffer
	if err := judged(t, planted(), both).WriteMarkdown(&got); err != nil {
		t.Fatal(err)
	}
	const name = "testdata/page.md"
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s differs; after a change that is meant, run with -update. Got\n%s", name, got.String())
	}
}

func TestPlanted(t *testing.T) {
	p := judged(t, planted(), both)
	all := p.Parts[0]
	if all.Matched != 9 || all.Losses != 1 || len(p.Losses) != 1 || len(p.Cells) != 13 {
		t.Fatalf("%+v, %d losses, %d cells", all, len(p.Losses), len(p.Cells))
	}
	l := p.Losses[0]
	if l.Input != "zipf" || l.Peer != "cub-radix-db" || l.Verdict != compare.Slow || l.Chosen != "onesweep" ||
		math.Abs(l.Ratio-300./330) > 1e-9 || !(l.Lo < l.Ratio && l.Ratio < l.Hi && l.Hi < 1) {
		t.Errorf("loss %+v", l)
	}
	// The ratios as planted: 12/6 is of the later file, 800/420 of pairs.
	product := 1.0
	for _, r := range []float64{2, 690. / 660, 300. / 330, 12. / 6, 14. / 8, 2, 2, 800. / 420, 70. / 9} {
		product *= r
	}
	if want := math.Pow(product, 1./9); math.Abs(all.GeoMean-want) > 1e-9 || math.Abs(all.Best.Ratio-70./9) > 1e-9 || all.Worst.Ratio != l.Ratio {
		t.Errorf("geometric mean %v, want %v; best %v, worst %v", all.GeoMean, want, all.Best.Ratio, all.Worst.Ratio)
	}
	if len(p.Cliffs) != 1 || p.Cliffs[0].Input != "sorted" || math.Abs(p.Cliffs[0].Ratio-2.2) > 1e-9 {
		t.Errorf("cliffs %+v", p.Cliffs)
	}
	if p.Replaced != 1 || p.OwnLayout != 1 || len(p.Alone) != 1 {
		t.Errorf("%d replaced, %d of their own layout, alone %v", p.Replaced, p.OwnLayout, p.Alone)
	}
}
