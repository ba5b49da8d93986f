package report

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// FuzzPage makes pages and figures of results that no run should give, and some
// that it may: one cell, only failures, no samples, extreme times and sizes,
// names that are markup.
func FuzzPage(f *testing.F) {
	for seed := range uint64(24) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		in := weird(rand.New(rand.NewPCG(seed, 1)), int(n%40))
		var b bytes.Buffer
		if err := Write(&b, in, ""); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b.Bytes(), []byte("<script>alert")) {
			t.Error("a name became markup")
		}
		for _, fig := range Figures(in) {
			var svg bytes.Buffer
			if err := fig.Plot.WriteSVG(&svg); err != nil {
				t.Fatal(err)
			}
			wellFormed(t, fig.ID, svg.String())
			if err := fig.Plot.WritePNG(&svg, 0.25); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func weird(rng *rand.Rand, n int) Input {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	times := func() (out []int64) {
		for range rng.IntN(20) {
			out = append(out, []int64{0, 1, 1000, -5, math.MaxInt64, rng.Int64N(1e9)}[rng.IntN(6)])
		}
		return out
	}
	var in Input
	for range n {
		r := result.Record{
			Cell: result.Cell{
				Algo: pick("a", "<script>alert(1)</script>", "", "ü^2"), DeviceID: pick("cpu", "cuda:0", `"'&`), Backend: pick("cpu", "cuda"),
				KeyType: pick("u32", "x99", ""), Mode: pick("keys", "pairs"), ValueBytes: rng.IntN(3) * 4,
				Dist:  pick("uniform", "entropy-0.544", "entropy-x", "entropy-nan", "a-very-long-name-of-a-distribution-that-goes-on-and-on"),
				Items: []uint64{0, 1, 1000, 1 << 20, math.MaxUint64}[rng.IntN(5)], Threads: uint32(rng.IntN(3)), Blocks: uint32(rng.IntN(2)), Desc: rng.IntN(8) == 0,
			},
			Status: result.Status(pick("ok", "ok", "ok", "failed", "unsupported", "odd")), Reason: pick("", "because\nof <b>"),
			WallNS: times(), DeviceNS: times(), MinBytes: []uint64{0, 1, 1 << 30, math.MaxUint64}[rng.IntN(4)],
			Env: result.Env{Started: pick("", "2026", "2026-01-02T03:04:05Z"), LoadAverage: pick2(rng), Procs: rng.IntN(3)},
		}
		if rng.IntN(3) == 0 {
			r.Device = &stat.Summary{Median: math.NaN()}
		}
		in.Records = append(in.Records, r)
	}
	for range rng.IntN(4) {
		c := result.Cell{Algo: "a", DeviceID: "cuda:0", KeyType: "u32", Mode: "keys", Dist: "uniform"}
		p := run.Profile{Cell: c, Case: c.ID(), Status: pick("ok", "failed"), CopyGBps: pick2(rng), Upload: run.TransferProfile{NS: rng.Int64N(3) - 1}}
		for range rng.IntN(4) {
			p.Steps = append(p.Steps, run.StepProfile{Label: pick("", "<i>"), NS: rng.Int64N(5) - 1, MinBytes: rng.Uint64()})
		}
		in.Profiles = append(in.Profiles, p)
		r := run.Recording{Cell: c, Case: c.ID()}
		for range rng.IntN(4) + 1 {
			var keys []uint64
			for range rng.IntN(5) {
				keys = append(keys, rng.Uint64N(3))
			}
			r.Frames = append(r.Frames, run.Frame{Label: "</script>", Keys: keys, Moved: rng.IntN(2) == 0})
		}
		in.Recordings = append(in.Recordings, r)
	}
	in.tidy()
	return in
}

func pick2(rng *rand.Rand) float64 { return []float64{0, 1, 4000, -1}[rng.IntN(4)] }
