package grade

import (
	"slices"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Schema is the version of Report's JSON.
const Schema = 1

// Report is the outcome of grading one submission.
type Report struct {
	Schema     int     `json:"schema"`
	Title      string  `json:"title"`
	Submission string  `json:"submission"` // the file's name
	Kind       Kind    `json:"kind"`
	Device     string  `json:"device"` // ID
	DeviceName string  `json:"device_name,omitempty"`
	Sorter     string  `json:"sorter,omitempty"`
	Key        string  `json:"key"`
	Seed       uint64  `json:"seed"` // gives the same inputs again
	Score      float64 `json:"score"`
	Max        float64 `json:"max"`
	// Refused says why no point can be earned: a kind that the rubric does not
	// accept, code that does not compile, or a cheat.
	Refused string        `json:"refused,omitempty"`
	Items   []Item        `json:"items"`
	Cases   []Case        `json:"cases"`
	Kernels []wire.Kernel `json:"kernels,omitempty"` // at the greatest n
	Printed string        `json:"printed,omitempty"` // the end of what the submission printed; it counts for nothing
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Item is one criterion of the rubric.
type Item struct {
	Name   string  `json:"name"`
	Points float64 `json:"points"`
	Max    float64 `json:"max"`
	Status Status  `json:"status"`
	Detail string  `json:"detail"`
}

// Status of a criterion.
type Status string

// The statuses.
const (
	Full    Status = "full"
	Partial Status = "partial"
	None    Status = "none"
	Skipped Status = "skipped" // cannot be told here; not in the maximum
)

// Case is what was measured for one n and one distribution.
type Case struct {
	N      uint64 `json:"n"`
	Dist   string `json:"dist,omitempty"`
	Passed bool   `json:"passed"`
	Reason string `json:"reason,omitempty"`
	// Fatal is a reason that costs all points: code that cannot be loaded, or a
	// cheat.
	Fatal string  `json:"fatal,omitempty"`
	NS    []int64 `json:"ns,omitempty"` // of the measured runs

	late    bool // a time limit ended it
	harness bool // not the submission's fault
}

// best is the shortest and the median time; 0 without runs.
func (c Case) best() (best, median int64) {
	if len(c.NS) == 0 {
		return 0, 0
	}
	return slices.Min(c.NS), stat.Median(c.NS)
}

// melems is million elements per second.
func melems(n uint64, ns int64) float64 {
	if ns <= 0 {
		return 0
	}
	return 1e3 * float64(n) / float64(ns)
}

// Cheat is what a submission did that no mistake explains. It costs all points.
type Cheat struct{ What string }

func (c Cheat) Error() string { return c.What }
