package gpusort_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/gpusort/gpusort"
)

// TestCancelledStrings cancels sorts of keys with values that do not travel as bits,
// at several moments: each value stays with its key.
func TestCancelledStrings(t *testing.T) {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const n = 400_000
	k, v := make([]uint64, n), make([]string, n)
	for i := range k {
		k[i] = uint64(i) * 0x9e3779b97f4a7c15
		v[i] = strconv.FormatUint(k[i], 36)
	}
	for i := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*700*time.Microsecond, cancel)
		err := gpusort.SortPairsWith(ctx, s, k, v)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for j, u := range k {
			if v[j] != strconv.FormatUint(u, 36) {
				t.Fatalf("round %d, error %v: value %d is not with its key", i, err, j)
			}
			k[j] = u * 0x9e3779b97f4a7c15 // out of order again
			v[j] = strconv.FormatUint(k[j], 36)
		}
	}
}
