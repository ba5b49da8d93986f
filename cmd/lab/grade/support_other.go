//go:build !linux || !(amd64 || arm64)

package grade

import (
	"context"
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
)

func supported() error {
	return fmt.Errorf("grade: %w: grading needs Linux on amd64 or arm64, where a submission's process can be stopped, confined and given sealed memory", driver.ErrUnsupported)
}

func environment(string) []string { return nil }

// measure is never reached: supported has refused.
func (g *grader) measure(context.Context, wire.Job, []dist.Dist) ([]Case, wire.Info) {
	return []Case{{Reason: supported().Error()}}, wire.Info{}
}
