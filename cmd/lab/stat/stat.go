// Package stat summarises and compares samples of run times without assuming
// a distribution: medians with confidence intervals from order statistics, and
// the Mann–Whitney U test.
package stat

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Confidence is the level of all intervals.
const Confidence = 0.95

// Summary describes one sample. Values keep the sample's unit; Confidence,
// Noise and Spread are shares of 1.
type Summary struct {
	Samples int     `json:"samples"`
	Median  float64 `json:"median"`
	Lo      float64 `json:"lo"` // interval of the median
	Hi      float64 `json:"hi"`
	// Confidence is the interval's true level. With fewer than 6 values it is
	// the whole range and stays below 0.95.
	Confidence float64 `json:"confidence"`
	Min        float64 `json:"min"`
	Max        float64 `json:"max"`
	// Spread is the interquartile range over the median.
	Spread float64 `json:"spread"`
	// Outliers counts values more than 1.5 interquartile ranges outside the
	// quartiles (Tukey). They are part of every figure above.
	Outliers int `json:"outliers"`
}

// Noise is half the width of the median's interval over the median.
func (s Summary) Noise() float64 {
	if s.Median == 0 {
		return 0
	}
	return (s.Hi - s.Lo) / 2 / s.Median
}

// Tight says whether the interval has its full confidence and is no wider
// than ±noise of the median.
func (s Summary) Tight(noise float64) bool {
	return s.Confidence >= Confidence && s.Noise() <= noise
}

// Summarise describes the values, in any order, which it leaves as they are.
// Without values everything is 0.
func Summarise(values []float64) Summary {
	n := len(values)
	if n == 0 {
		return Summary{}
	}
	x := slices.Sorted(slices.Values(values))
	s := Summary{Samples: n, Median: quantile(x, 0.5), Min: x[0], Max: x[n-1]}
	k, conf := MedianRank(n, Confidence)
	s.Lo, s.Hi, s.Confidence = x[k-1], x[n-k], conf
	q1, q3 := quantile(x, 0.25), quantile(x, 0.75)
	if s.Median != 0 {
		s.Spread = (q3 - q1) / s.Median
	}
	for _, v := range x {
		if v < q1-1.5*(q3-q1) || v > q3+1.5*(q3-q1) {
			s.Outliers++
		}
	}
	return s
}

// Median is the middle of the values, in any order, or the mean of the two in the
// middle: of integers rounded down. Without values it is 0.
func Median[T ~int64 | ~float64](values []T) T {
	n := len(values)
	if n == 0 {
		return 0
	}
	x := slices.Sorted(slices.Values(values))
	lo, hi := x[(n-1)/2], x[n/2]
	return lo + (hi-lo)/2
}

// quantile interpolates between the two nearest of the sorted values
// (Hyndman and Fan's type 7, as in R and NumPy).
func quantile(x []float64, q float64) float64 {
	at := q * float64(len(x)-1)
	i := int(at)
	if i+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[i] + (at-float64(i))*(x[i+1]-x[i])
}

// MedianRank returns the largest rank k, counted from 1, such that the k-th
// smallest and k-th largest of n values hold the median between them with at
// least the given confidence, and the true confidence 1 − 2·P(Bin(n,½) < k).
// If even the whole range does not reach it, k is 1.
func MedianRank(n int, confidence float64) (k int, reached float64) {
	tail := 0.0 // P(Bin(n, ½) ≤ k−1)
	logHalfN := float64(n) * math.Log(0.5)
	for i := 0; i <= (n-1)/2; i++ {
		tail += math.Exp(logChoose(n, i) + logHalfN)
		if c := 1 - 2*tail; i == 0 || c >= confidence {
			k, reached = i+1, max(c, 0)
		} else {
			break
		}
	}
	return k, reached
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// MannWhitney returns the two-sided p-value of the hypothesis that a and b
// come from one distribution: exact for small samples, with ties. Empty
// samples and samples that are all one value give 1.
func MannWhitney(a, b []float64) float64 {
	x := benchmath.NewSample(slices.Clone(a), &benchmath.DefaultThresholds)
	y := benchmath.NewSample(slices.Clone(b), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Compare(x, y).P
}

// GeoMean returns the geometric mean of positive values, or 0 without any.
func GeoMean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(x)))
}
