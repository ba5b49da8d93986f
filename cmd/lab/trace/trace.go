// Package trace writes timelines in Chrome's trace format, which Perfetto
// (ui.perfetto.dev) and chrome://tracing read.
package trace

import (
	"encoding/json"
	"io"
)

// Span is something that took time on a track.
type Span struct {
	Process string `json:"process"` // "cuda:0"
	Track   string `json:"track"`   // "kernels"
	Name    string `json:"name"`
	StartNS int64  `json:"start_ns"` // from the beginning of the trace
	NS      int64  `json:"ns"`
	// Args are shown when the span is selected.
	Args map[string]any `json:"args,omitempty"`
}

type event struct {
	Name string         `json:"name"`
	Ph   string         `json:"ph"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Ts   float64        `json:"ts"` // microseconds
	Dur  *float64       `json:"dur,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// Write writes the spans as one JSON object. Processes and tracks appear in the
// order of their first span.
func Write(w io.Writer, spans []Span) error {
	pids, tids := map[string]int{}, map[[2]string]int{}
	events := []event{}
	name := func(what string, pid, tid int, value string, order int) {
		events = append(events, event{Name: what + "_name", Ph: "M", Pid: pid, Tid: tid, Args: map[string]any{"name": value}},
			event{Name: what + "_sort_index", Ph: "M", Pid: pid, Tid: tid, Args: map[string]any{"sort_index": order}})
	}
	for _, s := range spans {
		pid, ok := pids[s.Process]
		if !ok {
			pid = len(pids) + 1
			pids[s.Process] = pid
			name("process", pid, 0, s.Process, pid)
		}
		key := [2]string{s.Process, s.Track}
		tid, ok := tids[key]
		if !ok {
			tid = len(tids) + 1
			tids[key] = tid
			name("thread", pid, tid, s.Track, tid)
		}
		dur := float64(s.NS) / 1e3
		events = append(events, event{Name: s.Name, Ph: "X", Pid: pid, Tid: tid, Ts: float64(s.StartNS) / 1e3, Dur: &dur, Args: s.Args})
	}
	return json.NewEncoder(w).Encode(map[string]any{"displayTimeUnit": "ns", "traceEvents": events})
}
