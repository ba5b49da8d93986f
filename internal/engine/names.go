package engine

import (
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/plan"
)

// Job is the executor's, Problem, Mode and its values are the plan package's, for the
// root package, which imports none below this one but key and driver.
type (
	Job     = exec.Job
	Problem = plan.Problem
	Mode    = plan.Mode
)

// The modes.
const (
	Keys    = plan.Keys
	Pairs   = plan.Pairs
	Argsort = plan.Argsort
)
