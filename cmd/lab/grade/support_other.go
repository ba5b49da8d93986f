//go:build !linux || !(amd64 || arm64)

package grade

import (
	"context"
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
)

const openPlain = 0

func supported() error {
	return fmt.Errorf("grade: %w: grading needs Linux on amd64 or arm64, where a submission's process can be stopped, confined and given sealed memory", driver.ErrUnsupported)
}

// What follows is never reached: supported has refused.

type confiner struct{}

func (g confiner) leave() {}

func (g *grader) confinement(context.Context) error    { return supported() }
func (g *grader) compileCU(context.Context, int) error { return supported() }
func (g *grader) measureEmpty(context.Context) error   { return supported() }
func (g *grader) resident(wire.Job) bool               { return false }
func (g *grader) trusted(wire.Job) bool                { return false }
func (g *grader) round(context.Context, wire.Job, []dist.Dist, *[]Case) (wire.Info, bool) {
	return wire.Info{}, false
}
