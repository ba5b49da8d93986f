//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

func TestConformance(t *testing.T) { drivertest.Run(t, New(), drivertest.CUDA()) }

func TestConformanceFake(t *testing.T) {
	drv, _ := fakeDriver(t)
	drivertest.Run(t, drv, drivertest.CUDA())
}
