package ops

import (
	"fmt"
	"slices"
)

// same says where got differs from want.
func same[T comparable](what string, got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d %ss came out, want %d", len(got), what, len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("%s %d is %v, want %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// checkSegments sorts each segment of the input again.
func (a *array[T]) checkSegments() error {
	for i := range len(a.at) - 1 {
		want := slices.Sorted(slices.Values(a.in[a.at[i]:a.at[i+1]]))
		if err := same("key", a.x[a.at[i]:a.at[i+1]], want); err != nil {
			return fmt.Errorf("segment %d: %w", i, err)
		}
	}
	return nil
}

// checkCounts compares with the lengths of the runs of equal keys.
func (a *array[T]) checkCounts(values []T, counts []int) error {
	if len(values) != len(counts) {
		return fmt.Errorf("%d values and %d counts", len(values), len(counts))
	}
	at := 0
	for i, v := range values {
		end := at
		for end < len(a.sorted) && a.sorted[end] == v {
			end++
		}
		if end == at || counts[i] != end-at {
			return fmt.Errorf("value %v is counted %d times, want %d", v, counts[i], end-at)
		}
		at = end
	}
	if at != len(a.sorted) {
		return fmt.Errorf("%d values of %d keys are missing", len(a.sorted)-at, len(a.sorted))
	}
	return nil
}

// checkPlaces says whether each query belongs where the answer says.
func checkPlaces[T number, I int | uint32](a *array[T], got []I) error {
	if len(got) != len(a.queries) {
		return fmt.Errorf("%d answers to %d queries", len(got), len(a.queries))
	}
	for i, place := range got {
		q, at := a.queries[i], int(place)
		if at < 0 || at > len(a.in) || at > 0 && a.in[at-1] >= q || at < len(a.in) && a.in[at] < q {
			return fmt.Errorf("query %d, %v, does not belong at %d", i, q, at)
		}
	}
	return nil
}

func (a *array[T]) checkGathered() error {
	for i, at := range a.at {
		if a.dst[i] != a.in[at] {
			return fmt.Errorf("key %d is %v, want that of position %d, %v", i, a.dst[i], at, a.in[at])
		}
	}
	return nil
}
