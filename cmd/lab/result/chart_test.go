package result

import (
	"bytes"
	"strings"
	"testing"
)

func TestChart(t *testing.T) {
	var recs []Record
	for e := 10; e <= 20; e += 2 {
		for i, algo := range []string{"slow", "fast"} {
			n := uint64(1) << e
			r := Record{Cell: Cell{Algo: algo, Backend: "cpu", DeviceID: "cpu", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: n}, Status: OK,
				WallNS: []int64{int64(n) * 10 / int64(1+9*i)}}
			r.Finish()
			recs = append(recs, r)
		}
	}
	var b bytes.Buffer
	if err := WriteChart(&b, recs, 60); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	var top, bottom string
	for _, l := range lines {
		if strings.Contains(l, "│") && strings.ContainsAny(l, "ox") {
			if top == "" {
				top = l
			}
			bottom = l
		}
		if len([]rune(l)) > 60 {
			t.Errorf("wider than asked: %q", l)
		}
	}
	if strings.Count(top, "x") != 6 || strings.Count(bottom, "o") != 6 || !strings.Contains(b.String(), "2^10") || !strings.Contains(b.String(), "x fast on cpu") {
		t.Errorf("\n%s", b.String())
	}
	b.Reset()
	if err := WriteChart(&b, recs[:4], 60); err != nil || b.Len() != 0 {
		t.Errorf("two sizes gave a chart: %s %v", b.String(), err)
	}
}
