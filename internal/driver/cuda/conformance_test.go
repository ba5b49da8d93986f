//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

func TestConformance(t *testing.T) { drivertest.Run(t, New(), drivertest.CUDA()) }

func TestConformanceFake(t *testing.T) {
	drv, _ := fakeDriver(t)
	drivertest.Run(t, drv, drivertest.CUDA())
}

func TestPeers(t *testing.T) {
	devs := drivertest.Devices(t, New())
	if len(devs) < 2 {
		absent.Skip(t, "cuda2", "this machine has %d CUDA devices, and needs 2", len(devs))
	}
	drivertest.RunPeers(t, devs[0], devs[1])
}
