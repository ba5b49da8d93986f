package result

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func records() []Record {
	env := Env{Commit: "abc", Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "A CPU", Procs: 2, Device: "A card", Started: "2026-01-02T03:04:05Z"}
	rs := []Record{
		{
			Cell:   Cell{Algo: "onesweep", Backend: "cuda", DeviceID: "cuda:0", KeyType: "u32", Mode: "pairs", ValueBytes: 4, Dist: "entropy-0.544", Items: 1 << 24, Seed: 7},
			Source: "catalog", Status: OK, DeviceNS: []int64{110, 100, 105, 99, 101, 120, 100}, WallNS: []int64{1000, 1100, 1001, 1002, 1003, 1010, 999},
			MinBytes: 1000, Env: env,
		},
		{
			Cell:   Cell{Algo: "a|b", Backend: "cpu", DeviceID: "cpu", KeyType: "f64", Mode: "argsort", ValueBytes: 8, Dist: "uniform", Items: 1000, Threads: 128, Desc: true},
			Source: "catalog", Status: Unsupported, Reason: "no such, \"thing\"", Env: env,
		},
	}
	for i := range rs {
		rs[i].Finish()
	}
	return rs
}

func TestCaseID(t *testing.T) {
	rs := records()
	if want := "onesweep/cuda/u32/pairs/entropy-0.544/n=2^24"; rs[0].Case != want {
		t.Errorf("%s, want %s", rs[0].Case, want)
	}
	if want := "a|b/cpu/f64/argsort64/uniform/n=1000/threads=128/desc"; rs[1].Case != want {
		t.Errorf("%s, want %s", rs[1].Case, want)
	}
}

func TestJSONComesBack(t *testing.T) {
	var b bytes.Buffer
	for _, r := range records() {
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	whole := b.String()
	got, err := ReadJSON(strings.NewReader(whole))
	if err != nil || !reflect.DeepEqual(got, records()) {
		t.Errorf("got %+v, %v", got, err)
	}
	// Every cut through the last line leaves the first record readable.
	first := strings.IndexByte(whole, '\n') + 1
	for cut := first; cut < len(whole)-1; cut++ {
		got, err := ReadJSON(strings.NewReader(whole[:cut]))
		if err != nil || len(got) != 1 && cut < len(whole)-1 {
			t.Fatalf("cut at %d: %d records, %v", cut, len(got), err)
		}
	}
	for _, bad := range []string{"{\n" + whole, `{"schema":99}` + "\n", `{"case":"x"}` + "\n"} {
		if _, err := ReadJSON(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	rs := records()
	rs[0].WallNS = []int64{1000, 1100, 1001, 1003} // fewer than device times, as with end_to_end
	rs[0].Finish()
	if err := WriteCSV(&b, rs); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := map[string]int{}
	for i, h := range rows[0] {
		at[h] = i
	}
	if rows[1][at["samples"]] != "7" || rows[1][at["wall_samples"]] != "4" {
		t.Errorf("%s samples and %s of the wall, want 7 and 4", rows[1][at["samples"]], rows[1][at["wall_samples"]])
	}
	if rows[1][at["device_median_ns"]] != "101" || rows[1][at["wall_median_ns"]] != "1002" || rows[2][at["reason"]] != `no such, "thing"` {
		t.Errorf("rows %q", rows[1:])
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, records()); err != nil {
		t.Fatal(err)
	}
	table, rest, _ := strings.Cut(b.String(), "\n\n")
	if rest != "- unsupported: a|b/cpu/f64/argsort64/uniform/n=1000/threads=128/desc@cpu: no such, \"thing\"\n" {
		t.Errorf("reasons: %q", rest)
	}
	for i, line := range strings.Split(table, "\n") {
		line = strings.ReplaceAll(line, `\|`, "")
		if n := strings.Count(line, "|"); n != len(Columns)+1 {
			t.Errorf("line %d has %d bars: %s", i, n, line)
		}
	}
	if !strings.Contains(b.String(), "101 ns") {
		t.Errorf("no median in\n%s", b.String())
	}
}

func TestGoFormatReads(t *testing.T) {
	var b bytes.Buffer
	if err := WriteGo(&b, records()); err != nil {
		t.Fatal(err)
	}
	rd := benchfmt.NewReader(&b, "x")
	n := 0
	for rd.Scan() {
		r, ok := rd.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("not a result: %v", rd.Result())
		}
		n++
		if v, _ := r.Value("sec/op"); n == 1 && v != 110e-9 {
			t.Errorf("%v sec/op, values %v", v, r.Values)
		}
		if r.GetConfig("device") != "A card" || !strings.HasPrefix(string(r.Name), "Sort/onesweep/cuda/u32") {
			t.Errorf("%s on %q", r.Name, r.GetConfig("device"))
		}
	}
	if n != 7 {
		t.Errorf("%d samples", n)
	}
}

func TestBandwidth(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.001: "<0.01", 0.046: "0.046", 0.52: "0.52", 7.44: "7.4", 9.96: "10", 3120.4: "3120"} {
		if got := Bandwidth(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
