package run

import (
	"testing"
	"time"
)

func TestFlushesOf(t *testing.T) {
	for each, want := range map[time.Duration]int{
		0: 1, -5: 1, time.Nanosecond: mostFlushes, 40 * time.Microsecond: 13, 250 * time.Microsecond: 2,
		leadTime: 1, leadTime - 1: 2, 20 * time.Millisecond: 1,
	} {
		if got := flushesOf(each); got != want {
			t.Errorf("%v each: %d flushes, want %d", each, got, want)
		}
	}
}
