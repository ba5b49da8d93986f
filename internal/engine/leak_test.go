package engine

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/gpusort/gpusort/internal/algo/catalog/study" // tests name sorts of it
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
