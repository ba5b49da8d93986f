package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/kernel/variant"
	"github.com/gpusort/gpusort/tools/internal/build"
	"github.com/gpusort/gpusort/tools/internal/policy"
)

var update = flag.Bool("update", false, "rewrite testdata")

// base is the committed row of the test's table: not today's, so that tuning
// changes no golden.
var base = []uint32{256, 16, 2, 4, 512, 4, 512, 16, 256, 16}

// fixture makes a folder of four variants and one of results: of the committed row
// and two others seven rounds, the slowest variant not verified.
func fixture(t *testing.T) (dir, results string) {
	t.Helper()
	dir, results = filepath.Join(t.TempDir(), "variants"), t.TempDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &store{dir: dir}
	add := func(threads, items uint32, pass, spills int, reason string) entry {
		values := append([]uint32{threads, items}, base[2:]...)
		e := entry{Algorithm: "onesweep", Experiment: "onesweep-32-keys", Base: base, Reason: reason, Committed: threads == base[0] && items == base[1],
			Command: "tune build -algo onesweep -key 32 -value 0 -set threads=256,384 -set items=16,20"}
		e.Info = variant.Info{Name: fmt.Sprintf("onesweep-32-keys-threads%d-items%d", threads, items), Module: "onesweep", Target: "sm_90", KeyBits: 32,
			Params: []string{"threads", "items", "blocks", "window", "hist_threads", "hist_blocks", "small_threads", "small_items", "sweep_threads", "sweep_items"},
			Values: values, Compiler: "nvcc 13.0.88", Flags: []string{"-O3", "-arch=sm_90"}, Commit: "0123456789abcdef"}
		e.SHA256 = build.Sum([]byte(e.Name))
		if reason == "" {
			e.Kernels = []build.Usage{{Kernel: "gs_onesweep_pass_32_keys", Registers: pass, SpillStore: spills}, {Kernel: "gs_onesweep_small_32_keys", Registers: 63}}
		}
		if err := s.add(e, []byte("{}"), []byte(e.Name)); err != nil {
			t.Fatal(err)
		}
		return e
	}
	var records bytes.Buffer
	measure := func(e entry, us int64, cases int, rc string) {
		log := fmt.Sprintf("%s\n--- PASS: TestEquality\n%d passed, 0 failed, 7 skipped\nrc=%s\n", e.SHA256, cases, rc)
		if err := os.WriteFile(filepath.Join(results, "tune-"+e.Name+".log"), []byte(log), 0o644); err != nil {
			t.Fatal(err)
		}
		for round := range int64(7) {
			if rc != "0" {
				break
			}
			r := result.Record{Cell: result.Cell{Algo: "onesweep", Backend: "cuda", DeviceID: "cuda:0", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: 1 << 28, Seed: 1},
				Status: result.OK, Env: result.Env{Device: "NVIDIA H200", DriverVersion: "580.1", Started: "2026-11-22T06:00:00Z", Variant: e.Name, VariantSHA256: e.SHA256}}
			for k := range int64(3) {
				r.DeviceNS = append(r.DeviceNS, us*1000+10_000*(round+k))
			}
			r.Finish()
			if err := result.WriteJSON(&records, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	measure(add(256, 16, 64, 0, ""), 4000, 900, "0")
	measure(add(256, 20, 72, 0, ""), 3900, 800, "0")
	measure(add(384, 16, 80, 24, ""), 4100, 700, "0")
	measure(add(384, 20, 80, 0, ""), 3000, 600, "1")
	add(512, 20, 0, 0, "does not compile: onesweep.cu(7): error: too many threads")
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(results, "tune.jsonl"), records.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, results
}

func TestTable(t *testing.T) {
	dir, results := fixture(t)
	var out strings.Builder
	if err := tableCommand([]string{dir, results}, &out); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "table.md")
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("go test ./cmd/tune -update rewrites %s; got\n%s", golden, out.String())
	}
}

// tableRoot writes a repository of nothing but policies, with the test's row.
func tableRoot(t *testing.T, values []uint32) (dir, path string) {
	t.Helper()
	table, err := policy.Load(filepath.Join(root, "internal/tune/policies.json"))
	if err == nil {
		table, err = table.With("onesweep", "cuda", "sm_90", 32, 0, values, "before")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	path = filepath.Join(dir, "internal/tune/policies.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, table.JSON(), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func TestTake(t *testing.T) {
	dir, results := fixture(t)
	repo, path := tableRoot(t, base)
	before, _ := os.ReadFile(path)
	var out strings.Builder
	if err := tableCommand([]string{dir, results, "-take", "onesweep-32-keys-threads256-items20", "-root", repo}, &out); err != nil {
		t.Fatal(err)
	}
	table, err := policy.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := table.Find("onesweep", "cuda")
	at, err := a.Row("sm_90", 32, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := a.Rows[at]
	const source = "NVIDIA H200, driver 580.1, 2026-11-22, u32 keys, uniform keys, n = 2^28: 3940.0 us, 68.1 Gkeys/s, " +
		"1.025 times as fast as the row before (median of 7 rounds, 21 samples; place 1 of 3 geometries); " +
		"tune build -algo onesweep -key 32 -value 0 -set threads=256,384 -set items=16,20"
	if fmt.Sprint(r.Values) != "[256 20 2 4 512 4 512 16 256 16]" || r.Source != source {
		t.Errorf("row %v, source\n%s\nwant\n%s", r.Values, r.Source, source)
	}
	// Every other line stays as it was, and the row can be put back.
	back, err := table.With("onesweep", "cuda", "sm_90", 32, 0, base, "before")
	if err != nil || !bytes.Equal(back.JSON(), before) {
		t.Errorf("the table has other changes, too: %v", err)
	}
	if _, err := table.Go(); err != nil {
		t.Error(err)
	}
}

func TestTakeRefuses(t *testing.T) {
	dir, results := fixture(t)
	repo, path := tableRoot(t, base)
	moved, _ := tableRoot(t, append([]uint32{320}, base[1:]...))
	before, _ := os.ReadFile(path)
	for _, c := range []struct{ name, root, want string }{
		{"onesweep-32-keys-threads384-items20", repo, "is not verified"},
		{"onesweep-32-keys-threads512-items20", repo, "is not verified"},
		{"onesweep-32-keys-threads1-items1", repo, "no such variant"},
		{"onesweep-32-keys-threads256-items20", moved, "measure again"},
	} {
		err := tableCommand([]string{"-take", c.name, "-root", c.root, dir, results}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a refusal changed the table")
	}
}

// TestTrouble: a cell that was not measured is told of once, and no figure.
func TestTrouble(t *testing.T) {
	dir, results := fixture(t)
	path := filepath.Join(results, "tune.jsonl")
	recs, err := result.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, r := range recs {
		if r.Env.Variant == "onesweep-32-keys-threads384-items16" {
			r.Status, r.Reason, r.DeviceNS = result.Unsupported, "too much shared memory", nil
			r.Finish()
		}
		if err := result.WriteJSON(&text, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := tableCommand([]string{dir, results}, &out); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "unsupported: too much shared memory") != 1 || strings.Contains(out.String(), "| `onesweep-32-keys-threads384-items16` |") {
		t.Errorf("\n%s", out.String())
	}
}

// TestTableRefuses: results that are not of these variants are no table.
func TestTableRefuses(t *testing.T) {
	dir, results := fixture(t)
	path := filepath.Join(results, "tune.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sha := build.Sum([]byte("onesweep-32-keys-threads256-items20"))
	for from, want := range map[string]string{
		sha: "built again since",
		`"variant":"onesweep-32-keys-threads256-items20"`: "of another folder",
	} {
		to := strings.Replace(from, "2", "3", 1)
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(from), []byte(to)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := tableCommand([]string{dir, results}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := tableCommand([]string{t.TempDir(), results}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "variants.json") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := tableCommand([]string{dir, t.TempDir()}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "tune.jsonl") {
		t.Errorf("no results: %v", err)
	}
}
