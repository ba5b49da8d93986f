package cli

import (
	"fmt"
	"time"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
)

// report is what --json and --verbose say of a sort. Times are in seconds.
type report struct {
	File      string  `json:"file"`
	Output    string  `json:"output"`
	Type      string  `json:"type"`
	Mode      string  `json:"mode"` // keys, pairs, argsort
	Items     int     `json:"items"`
	Desc      bool    `json:"descending"`
	NaN       string  `json:"nan"`
	Device    string  `json:"device"`
	Algorithm string  `json:"algorithm"`
	Pieces    int     `json:"pieces"`
	Fallback  string  `json:"fallback,omitempty"`
	Read      float64 `json:"read_s"`
	Sort      float64 `json:"sort_s"`
	DeviceS   float64 `json:"device_s,omitempty"` // the sort alone by the device's clock
	Write     float64 `json:"write_s"`
	Rate      float64 `json:"keys_per_s"` // of the sort, transfers included

	raised  uint64        // what -S was raised to on a device; 0: it was not
	elapsed time.Duration // of all lanes; what the library says of one sort goes before it
}

// sorted fills in what the sort did.
func (r *report) sorted(w *work, s *sortCmd) {
	last := w.s.Last()
	r.Items = w.keys.Len()
	r.asked(s, w.keys.Item, w.values != nil)
	all := r.elapsed
	r.device(last)
	if s.axis.set {
		r.timed(all)
		r.DeviceS = 0 // of the last lane alone
	}
}

// asked fills in what was to be sorted and how.
func (r *report) asked(s *sortCmd, it format.Item, pairs bool) {
	r.Output = s.output
	if r.Output == "" || r.Output == "-" {
		r.Output = "standard output"
	}
	r.Type, r.Desc, r.NaN = it.Type.String(), s.reverse, s.nan.String()
	r.Mode = "keys"
	switch {
	case s.argsort:
		r.Mode = "argsort"
	case pairs:
		r.Mode = "pairs"
	}
}

func (r *report) device(last gpusort.Report) {
	r.Device, r.Algorithm, r.Pieces, r.Fallback = last.Device, last.Algorithm, last.Pieces, last.Fallback
	r.DeviceS, r.raised = last.DeviceTime.Seconds(), last.RaisedLimit
	r.timed(last.Elapsed)
}

func (r *report) timed(d time.Duration) {
	if r.Sort, r.elapsed = d.Seconds(), d; d > 0 {
		r.Rate = float64(r.Items) / d.Seconds()
	}
}

// report prints r as the flags ask. A fallback is always told.
func (s *sortCmd) report(r report) error {
	if r.Fallback != "" {
		fmt.Fprintf(s.err, "gpusort: sorted on the CPU instead: %s\n", r.Fallback)
	}
	if s.verbose && r.raised != 0 {
		fmt.Fprintf(s.err, "gpusort: -S %s is raised to %s, the least that works\n", units.Bytes(uint64(s.memory)), units.Bytes(r.raised))
	}
	s.tellRounded(s.err)
	if s.verbose {
		fmt.Fprintf(s.err, "gpusort: %s %s %s on %s (%s) in %s, %s; read %s, wrote %s\n",
			units.Count(r.Items), r.Type, r.Mode, r.Device, r.Algorithm,
			units.Duration(r.elapsed), units.Rate(uint64(r.Items), r.elapsed, "keys"),
			units.Duration(seconds(r.Read)), units.Duration(seconds(r.Write)))
	}
	if !s.json {
		return nil
	}
	if s.output == "" || s.output == "-" || s.valuesOut == "-" {
		return printJSON(s.err, r)
	}
	return printJSON(s.out, r)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
