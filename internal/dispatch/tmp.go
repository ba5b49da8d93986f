package dispatch

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

type hostPool struct{}
type probe struct{}
type pinnedRange struct{}
type session struct{ id string }

func newSession(e *Engine, d driver.Device) *session                       { return &session{d.Caps().ID} }
func (s *session) close() error                                            { return nil }
func (s *session) lose()                                                   {}
func (s *session) sortHost(ctx context.Context, j Job, r *Report) error    { return driver.ErrUnsupported }
func (e *Engine) place(p plan.Problem) (*session, error)                   { return nil, nil }
func (e *Engine) algorithms() []algo.Algorithm                             { return catalog.Algorithms() }
