package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/trace"
)

// TestOccupancyWithoutProfile: the heat map of blocks × threads has it from the
// records themselves.
func TestOccupancyWithoutProfile(t *testing.T) {
	var in Input
	for _, threads := range []uint32{128, 256} {
		for _, n := range []uint64{1 << 10, 1 << 20} {
			in.Records = append(in.Records, measured("x", "cuda:0", "u32", "uniform", n, 1000, 1, func(r *result.Record) {
				r.Threads, r.Blocks = threads, 132
				r.Occupancy = &result.Occupancy{Kernel: "gs_x", Share: 0.375, Limiter: "registers"}
			}))
		}
	}
	s := geometry(newData(in))
	if len(s.Figures) != 2 || s.Note != "" {
		t.Fatalf("%d figures, note %q", len(s.Figures), s.Note)
	}
	svg := s.Figures[0].Plot.SVG()
	if !strings.Contains(svg, "38 % occ.") || !strings.Contains(svg, "limited by registers") {
		t.Error("no occupancy in the map")
	}
	if !strings.Contains(s.Figures[0].ID, "1048576") {
		t.Errorf("the small size comes first: %s", s.Figures[0].ID)
	}
}

// TestTraceOfProfiles: the page's download holds every profile's spans, one
// profile after the other.
func TestTraceOfProfiles(t *testing.T) {
	in := full()
	for i := range in.Profiles {
		in.Profiles[i].Spans = []trace.Span{
			{Process: "cuda:0", Track: "transfers", Name: "upload", NS: 1000},
			{Process: "cuda:0", Track: "steps", Name: "sort", StartNS: 1000, NS: 500},
		}
	}
	r, err := newRaw(newData(in))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(r.Trace), "data:application/gzip;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Ph string
			Ts       float64
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	at := -1.0
	uploads := 0
	for _, e := range file.TraceEvents {
		if e.Ph == "X" && e.Name == "upload" {
			if uploads++; e.Ts <= at {
				t.Errorf("upload at %g µs after %g", e.Ts, at)
			}
			at = e.Ts
		}
	}
	if uploads != len(in.Profiles) {
		t.Errorf("%d uploads of %d profiles", uploads, len(in.Profiles))
	}
	var page bytes.Buffer
	if err := Write(&page, in, ""); err != nil || strings.Count(page.String(), `download="trace.json.gz"`) != 2 {
		t.Errorf("the page has no link to the trace: %v", err)
	}
}
