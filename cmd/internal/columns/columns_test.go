package columns

import (
	"fmt"
	"testing"
)

// TestOf: what is told by the first bytes.
func TestOf(t *testing.T) {
	for head, want := range map[string]Kind{
		"PAR1....": Parquet, "PARE": Parquet, "ARROW1\x00\x00": Arrow, "ARROW1": None, "\xff\xff\xff\xff\x10\x00\x00\x00": Stream,
		"\xff\xff\xff\xff\x00\x00\x00\x00": None, "\xff\xff\xff\xff\xff\xff\xff\xff": None, "": None, "city,ts\n": None,
	} {
		if got := Of([]byte(head)); got != want {
			t.Errorf("%q is %v", head, got)
		}
	}
	for name, want := range map[string]Kind{"a.parquet": Parquet, "A.PQ": Parquet, "x.feather": Arrow, "x.arrows": Stream, "x.csv": None, "parquet": None} {
		if got := ByName(name); got != want {
			t.Errorf("%s is %v", name, got)
		}
	}
	for name, want := range map[string]Kind{"a.csv": CSV, "a.TSV.gz": TSV, "a.tab": TSV, "a.jsonl.zst": JSON, "a.ndjson": JSON, "a.pq": Parquet, "a.gz": None} {
		if got := ByOutput(name); got != want {
			t.Errorf("%s is written as %v", name, got)
		}
	}
	if s := fmt.Sprint(Parquet, Arrow, None); s != "Parquet Arrow no table" {
		t.Error(s)
	}
}
