package run

import "github.com/gpusort/gpusort/cmd/lab/result"

// Layout is how a cell's sort would be launched.
type Layout struct {
	Cell result.Cell
	// Steps has no times. It is empty for host sorts and for peers.
	Steps []StepProfile
}

// Layouts plans every cell and loads its code, but reserves no memory for keys
// and runs nothing. Its error is the first cell's that cannot run: an algorithm
// that does not sort this, or launch parameters that it or the device cannot
// take. It then wraps driver.ErrUnsupported.
func (j *Job) Layouts() ([]Layout, error) {
	var out []Layout
	for _, g := range j.groups {
		for _, c := range g.cells {
			l, err := j.layout(g, c)
			if err != nil {
				return nil, err
			}
			out = append(out, l)
		}
	}
	return out, nil
}

func (j *Job) layout(g group, c result.Cell) (l Layout, err error) {
	b, err := j.open(g)
	if err != nil {
		return l, err
	}
	defer b.close() // nothing was queued that could fail
	con, err := b.add(c)
	if err != nil {
		return l, err
	}
	l.Cell = c
	if s, ok := con.(*devSort); ok && s.direct != nil {
		l.Steps = describeSteps(s, s.b.dev.Caps())
	}
	return l, nil
}
