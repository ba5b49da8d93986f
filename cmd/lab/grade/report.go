package grade

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Schema is the version of Report's JSON.
const Schema = 1

// Report is the outcome of grading one submission.
type Report struct {
	Schema     int    `json:"schema"`
	Title      string `json:"title"`
	Submission string `json:"submission"` // the file's name
	Kind       Kind   `json:"kind"`
	Source     string `json:"-"`      // what was graded, to be compared with others; a library has none
	Device     string `json:"device"` // ID
	DeviceName string `json:"device_name,omitempty"`
	Sorter     string `json:"sorter,omitempty"`
	Key        string `json:"key"`
	What       string `json:"what"` // "keys ascending": what was asked of them
	Seed       uint64 `json:"seed"` // gives the same inputs again
	// Replay says that the seed was given: the inputs could be known before.
	Replay bool    `json:"replay,omitempty"`
	Score  float64 `json:"score"`
	Max    float64 `json:"max"`
	// Refused says why no point can be earned: a kind that the rubric does not
	// accept, code that does not compile, or a cheat.
	Refused string        `json:"refused,omitempty"`
	Items   []Item        `json:"items"`
	Cases   []Case        `json:"cases"`
	Kernels []wire.Kernel `json:"kernels,omitempty"` // at the greatest n
	Printed string        `json:"printed,omitempty"` // the end of what the submission printed; it counts for nothing
	Elapsed time.Duration `json:"elapsed_ns"`
	// PeakMemory is the most memory that a process of the submission held, in bytes,
	// as the kernel counts it for a control group: its program, its libraries and the
	// files that it kept in memory included. It earns nothing. 0 is not measured.
	PeakMemory uint64 `json:"peak_memory,omitempty"`
	// EmptyTurn is what a turn costs in which nothing is sorted; it is not in the
	// times of cases.
	EmptyTurn time.Duration `json:"empty_turn_ns,omitempty"`
	// Unstable says that some criterion is not measurable here: it would not repeat within five per
	// cent, or hangs on the clock.
	Unstable    bool        `json:"unstable,omitempty"`
	Confinement Confinement `json:"confinement"`
}

// Confinement says what kept the submission to itself.
type Confinement struct {
	Whole bool     `json:"whole"` // enough for code of strangers
	Has   []string `json:"has"`
	Lacks []string `json:"lacks,omitempty"`
}

// Line is the first line of a grade.
func (c Confinement) Line() string {
	switch {
	case !c.Whole:
		return "NOT CONFINED: this machine lacks " + strings.Join(c.Lacks, ", ") + ". Do not trust this grade of a stranger's code."
	case len(c.Lacks) > 0:
		return "Confined by " + strings.Join(c.Has, ", ") + "; without " + strings.Join(c.Lacks, ", ") + "."
	}
	return "Confined by " + strings.Join(c.Has, ", ") + "."
}

// Item is one criterion of the rubric.
type Item struct {
	Name   string  `json:"name"`
	Points float64 `json:"points"`
	Max    float64 `json:"max"`
	Status Status  `json:"status"`
	Detail string  `json:"detail"`
	// Noise is how far these points would change if the time of the submission, or
	// that of what it is compared with, were the slow one, as a share of them. Above
	// five per cent the criterion is Unstable: it cannot be measured here.
	Noise    float64 `json:"noise,omitempty"`
	Unstable bool    `json:"unstable,omitempty"`
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

	rounds  [][]int64 // NS by round
	late    bool      // a time limit ended it
	harness bool      // not the submission's fault
}

// Remark says in a line what there is to say of a grade beside its points.
func (r Report) Remark() string {
	first := func(s string) string {
		line, rest, more := strings.Cut(s, "\n")
		if more && strings.HasSuffix(line, ":") { // "does not compile:", and the first error
			rest, _, _ = strings.Cut(rest, "\n")
			line += " " + rest
		}
		return line
	}
	if r.Refused != "" {
		return "no points: " + first(r.Refused)
	}
	for _, c := range r.Cases {
		if !c.Passed {
			return strings.TrimSuffix(fmt.Sprintf("%s keys, %s", units.Count(c.N), c.Dist), ", ") + ": " + first(c.Reason)
		}
	}
	if r.Unstable {
		return "not measurable here in part"
	}
	return ""
}

// rate is million elements per second of the shortest or the median run; 0
// without runs. The slow rate is what it could as well have been: the shortest
// run of the third best round, or of the rounds' medians one that three quarters
// do not exceed.
func (c Case) rate(use string, slow bool) float64 {
	var ns, each []int64
	for _, r := range c.rounds {
		ns = append(ns, r...)
		if use == "median" {
			each = append(each, stat.Median(r))
		} else {
			each = append(each, slices.Min(r))
		}
	}
	slices.Sort(each)
	switch {
	case len(ns) == 0:
		return 0
	case slow && use == "median":
		return melems(c.N, each[len(each)*3/4])
	case slow:
		return melems(c.N, each[min(confirmed, len(each))-1])
	case use == "median":
		return melems(c.N, stat.Median(ns))
	}
	return melems(c.N, each[0])
}

// later is the case with all its runs longer by ns.
func (c Case) later(ns int64) Case {
	rounds := make([][]int64, len(c.rounds))
	for i, r := range c.rounds {
		for _, t := range r {
			rounds[i] = append(rounds[i], t+ns)
		}
	}
	c.rounds = rounds
	return c
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
