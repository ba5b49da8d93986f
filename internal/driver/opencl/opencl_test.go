package opencl

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

func TestConformance(t *testing.T) {
	t.Setenv(CacheEnv, t.TempDir())
	drivertest.Run(t, New(), drivertest.OpenCL())
}
