package sample

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

type fakeClock struct{ t time.Time }

func (c *fakeClock) Now() time.Time { return c.t }

// drive samples until done; every turn takes the given time and measures what
// next returns.
func drive(t *testing.T, r Rule, turn time.Duration, next func(i int) int64) (s *Sampler, warm int) {
	t.Helper()
	c := &fakeClock{time.Unix(0, 0)}
	s = New(r, c)
	for i := 0; !s.Done(); i++ {
		if i > 10000 {
			t.Fatal("never ends")
		}
		if s.Begin() {
			warm++
		}
		c.t = c.t.Add(turn)
		s.Add(next(i))
	}
	return s, warm
}

func TestRule(t *testing.T) {
	r := Rule{WarmUp: 3, Noise: 0.01, Min: 11, Max: 100, Timeout: time.Second}
	rng := rand.New(rand.NewPCG(1, 1))
	steady := func(i int) int64 {
		if i < 3 {
			return 1e9 // slow warm-up turns do not count
		}
		return 1000
	}
	wild := func(int) int64 { return 500 + rng.Int64N(1000) }
	for _, c := range []struct {
		name    string
		rule    Rule
		turn    time.Duration
		next    func(int) int64
		samples int
		stop    string
	}{
		{"steady stops at the minimum", r, time.Millisecond, steady, 11, "median within 0.00%"},
		{"noise goes to the maximum", r, time.Millisecond, wild, 100, "100 samples"},
		{"noise stops at the timeout", r, 20 * time.Millisecond, wild, 50, "timeout, noise"},
		{"slow turns stop below the minimum", r, 300 * time.Millisecond, steady, 4, "timeout after 4 of at least 11"},
		{"a turn longer than the timeout", r, time.Minute, steady, 1, "timeout after 1 of"},
		{"no timeout", Rule{Noise: 0, Min: 1, Max: 7}, time.Hour, wild, 7, "7 samples"},
	} {
		s, warm := drive(t, c.rule, c.turn, c.next)
		if s.Count() != c.samples || !strings.HasPrefix(s.Stop(), c.stop) {
			t.Errorf("%s: %d samples, %q", c.name, s.Count(), s.Stop())
		}
		if want := c.rule.WarmUp; warm != want && c.turn < time.Minute {
			t.Errorf("%s: %d warm-ups", c.name, warm)
		}
	}
}

func TestSixSamplesAreNeeded(t *testing.T) {
	r := Rule{Noise: 0.01, Min: 1, Max: 100}
	if s, _ := drive(t, r, 0, func(int) int64 { return 5 }); s.Count() != 6 {
		t.Errorf("stopped after %d equal samples", s.Count())
	}
}

func TestEndToEnd(t *testing.T) {
	for _, c := range []struct{ ends, want int }{{0, 4 + 2}, {1, 1 + 2}, {Never, 0}} {
		s, got := New(Rule{WarmUp: 2, Min: 4, Max: 9, EndToEnd: c.ends}, &fakeClock{}), 0
		for i := int64(0); !s.Done(); i++ {
			s.Begin()
			if s.EndToEnd() {
				got++
			}
			s.Add(i * i)
		}
		if got != c.want {
			t.Errorf("end to end %d: %d turns, want %d", c.ends, got, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := Default.Validate(); err != nil {
		t.Error(err)
	}
	for _, r := range []Rule{{}, {Min: 3, Max: 2}, {Min: 1, Max: 1, Noise: -1}, {Min: 1, Max: 1, Timeout: -1}, {Min: 1, Max: 1, EndToEnd: Never - 1}} {
		if r.Validate() == nil {
			t.Errorf("%+v was taken", r)
		}
	}
}
