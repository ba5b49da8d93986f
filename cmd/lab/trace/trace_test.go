package trace

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, []Span{
		{Process: "cuda:0", Track: "copies", Name: "upload", StartNS: 0, NS: 1500},
		{Process: "cuda:0", Track: "kernels", Name: "pass 0", StartNS: 1500, NS: 0, Args: map[string]any{"bytes": 12}},
		{Process: "host", Track: "calls", Name: "submit", StartNS: 100, NS: 300},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			Pid, Tid int
			Ts       float64
			Dur      *float64
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	tracks := map[[2]int]bool{}
	spans := 0
	for _, e := range got.TraceEvents {
		if e.Ph != "X" {
			continue
		}
		spans++
		tracks[[2]int{e.Pid, e.Tid}] = true
		if e.Dur == nil || e.Name == "upload" && *e.Dur != 1.5 || e.Name == "pass 0" && e.Ts != 1.5 {
			t.Errorf("%+v", e)
		}
	}
	if spans != 3 || len(tracks) != 3 {
		t.Errorf("%d spans on %d tracks", spans, len(tracks))
	}
}
