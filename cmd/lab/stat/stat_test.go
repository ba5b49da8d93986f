package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Ranks from the binomial table, as printed for instance in Conover,
// Practical Nonparametric Statistics, table A3.
func TestMedianRank(t *testing.T) {
	for _, c := range []struct {
		n, k int
		conf float64
	}{
		{1, 1, 0}, {2, 1, 0.5}, {5, 1, 0.9375}, {6, 1, 0.96875}, {8, 1, 0.9921875}, {9, 2, 0.9609375},
		{10, 2, 0.978515625}, {20, 6, 0.95861}, {25, 8, 0.95671}, {50, 18, 0.96716}, {100, 40, 0.96480},
	} {
		k, conf := MedianRank(c.n, 0.95)
		if k != c.k || math.Abs(conf-c.conf) > 1e-5 {
			t.Errorf("n=%d: rank %d at %.6f, want %d at %.6f", c.n, k, conf, c.k, c.conf)
		}
	}
}

func TestSummarise(t *testing.T) {
	in := []float64{9, 1, 2, 3, 4, 5, 6, 7, 8, 100}
	s := Summarise(in)
	want := Summary{Samples: 10, Median: 5.5, Lo: 2, Hi: 9, Confidence: s.Confidence, Min: 1, Max: 100, Spread: 4.5 / 5.5, Outliers: 1}
	if s != want {
		t.Errorf("got %+v\nwant %+v", s, want)
	}
	if in[0] != 9 {
		t.Error("the input was sorted in place")
	}
	if s.Tight(0.1) || !s.Tight(0.7) {
		t.Errorf("noise %.3f", s.Noise())
	}
	if Summarise([]float64{3, 3, 3}).Tight(1) {
		t.Error("three samples cannot have a 95 % interval")
	}
	if got := Summarise(nil); got != (Summary{}) {
		t.Errorf("empty: %+v", got)
	}
}

// TestCoverage checks the interval's promise: on skewed data with a known
// median it misses in at most about 5 % of the trials. The seed is fixed.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	missed := 0
	const trials = 2000
	for range trials {
		x := make([]float64, 15)
		for i := range x {
			x[i] = r.ExpFloat64()
		}
		if s := Summarise(x); s.Lo > math.Ln2 || s.Hi < math.Ln2 {
			missed++
		}
	}
	if missed > trials*6/100 || missed < trials/100 {
		t.Errorf("missed %d of %d", missed, trials)
	}
}

func TestMannWhitney(t *testing.T) {
	// R: wilcox.test(1:5, 6:10)$p.value and wilcox.test(c(1,3,5,7), c(2,4,6,8))$p.value.
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{5, 4, 3, 2, 1}, []float64{6, 7, 8, 9, 10}, 0.007936508},
		{[]float64{1, 3, 5, 7}, []float64{2, 4, 6, 8}, 0.6857143},
		{[]float64{2, 2, 2}, []float64{2, 2, 2}, 1},
		{nil, []float64{1}, 1},
	} {
		if got := MannWhitney(c.a, c.b); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v, %v: p = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestGeoMean(t *testing.T) {
	if g := GeoMean([]float64{0.5, 2, 8, 0.125}); math.Abs(g-1) > 1e-12 {
		t.Errorf("got %v", g)
	}
	if GeoMean(nil) != 0 {
		t.Error("not 0 without values")
	}
}

func TestMedian(t *testing.T) {
	in := []int64{40, 10, 21, 30}
	if got := Median(in); got != 25 || in[0] != 40 {
		t.Errorf("%d of %d", got, in)
	}
	if got := Median([]float64{3, 1}); got != 2 {
		t.Errorf("%g", got)
	}
	if got := Median([]int64{7, 9, 8}); got != 8 {
		t.Errorf("%d", got)
	}
	if got := Median[int64](nil); got != 0 {
		t.Errorf("%d of nothing", got)
	}
}
