package cpu

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind. Workers partition together
// what is long for a test, so that its inputs are divided both ways.
func TestMain(m *testing.M) {
	parallelBytes = 128 << 10
	goleak.VerifyTestMain(m)
}
