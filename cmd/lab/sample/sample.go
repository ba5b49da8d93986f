// Package sample decides how often a cell is measured: until the median's
// confidence interval is tight enough, or a limit is reached. It holds no
// clock and runs nothing, so that many cells can be sampled in turns.
package sample

import (
	"fmt"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Clock tells the time; tests use their own.
type Clock interface{ Now() time.Time }

// Wall is the machine's monotonic clock.
type Wall struct{}

// Now returns the time.
func (Wall) Now() time.Time { return time.Now() }

// Rule says when a cell has been sampled enough.
type Rule struct {
	// WarmUp samples are measured and thrown away: code is loaded, clocks rise.
	WarmUp int
	// Noise is the wanted half-width of the median's 95 % interval, as a share
	// of the median.
	Noise float64
	// Min and Max bound the samples. The interval needs 6 of them.
	Min, Max int
	// EndToEnd is how many of a cell's first samples include one from host memory
	// to host memory, where transfers exist; 0 is Min, Never none at all, warm-ups
	// included.
	EndToEnd int
	// Timeout ends a cell that has at least one sample. It counts the cell's
	// own turns, untimed work included, and what it is charged with.
	Timeout time.Duration
}

// Never, as a Rule's EndToEnd, leaves transfers untimed.
const Never = -1

// Default is ±1 % with 11 to 200 samples in at most 15 s.
var Default = Rule{WarmUp: 2, Noise: 0.01, Min: 11, Max: 200, Timeout: 15 * time.Second}

// Validate reports a rule that cannot end well.
func (r Rule) Validate() error {
	switch {
	case r.Min < 1 || r.Max < r.Min:
		return fmt.Errorf("samples: want 1 ≤ minimum ≤ maximum, got %d and %d", r.Min, r.Max)
	case r.EndToEnd < Never:
		return fmt.Errorf("samples: end to end is a number of samples, 0 for the minimum or %d for none, got %d", Never, r.EndToEnd)
	case r.WarmUp < 0 || r.Noise < 0 || r.Timeout < 0:
		return fmt.Errorf("samples: warm-up %d, noise %g and timeout %v must not be negative", r.WarmUp, r.Noise, r.Timeout)
	}
	return nil
}

// Sampler applies a rule to one cell. The caller brackets each turn with Begin
// and Add or, when the turn gave no time, stops using the Sampler.
type Sampler struct {
	rule   Rule
	clock  Clock
	warm   int // warm-up turns done
	values []float64
	began  time.Time
	spent  time.Duration
	stop   string
}

// New starts sampling one cell.
func New(r Rule, c Clock) *Sampler { return &Sampler{rule: r, clock: c} }

// Begin marks the start of a turn and says whether it is a warm-up.
func (s *Sampler) Begin() (warmUp bool) {
	s.began = s.clock.Now()
	return s.warm < s.rule.WarmUp
}

// Charge counts time outside of turns towards the timeout, such as a share of making
// an input for several cells. That of warm-ups does not count.
func (s *Sampler) Charge(d time.Duration) {
	if s.warm >= s.rule.WarmUp {
		s.spent += d
	}
}

// Add ends a turn that measured ns nanoseconds. A warm-up's value is dropped
// and does not count towards the timeout, unless it alone used it up.
func (s *Sampler) Add(ns int64) {
	turn := s.clock.Now().Sub(s.began)
	if s.warm < s.rule.WarmUp {
		s.warm++
		if s.rule.Timeout > 0 && turn >= s.rule.Timeout {
			s.warm = s.rule.WarmUp
		}
		return
	}
	s.spent += turn
	s.values = append(s.values, float64(ns))
	s.stop = s.why()
}

func (s *Sampler) why() string {
	n := len(s.values)
	timeout := s.rule.Timeout > 0 && s.spent >= s.rule.Timeout
	switch {
	case n >= s.rule.Max:
		return fmt.Sprintf("%d samples", n)
	case timeout && n < s.rule.Min:
		return fmt.Sprintf("timeout after %d of at least %d samples", n, s.rule.Min)
	case timeout:
		return fmt.Sprintf("timeout, noise %.2f%%", 100*stat.Summarise(s.values).Noise())
	case n >= s.rule.Min && stat.Summarise(s.values).Tight(s.rule.Noise):
		return fmt.Sprintf("median within %.2f%%", 100*stat.Summarise(s.values).Noise())
	}
	return ""
}

// Done says whether the cell needs no more turns.
func (s *Sampler) Done() bool { return s.stop != "" }

// Stop says why sampling ended; it is empty before Done.
func (s *Sampler) Stop() string { return s.stop }

// Count is the number of samples that count.
func (s *Sampler) Count() int { return len(s.values) }

// EndToEnd says whether the turn at hand, a warm-up or not, is to time the
// sort with its transfers, too.
func (s *Sampler) EndToEnd() bool {
	ends := s.rule.EndToEnd
	if ends == 0 {
		ends = s.rule.Min
	}
	return len(s.values) < ends // Never is below any number of samples
}
