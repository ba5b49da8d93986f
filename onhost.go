package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// must panics with what a function of that name is refused for. Nothing else can go
// wrong without a context.
func must(name string, err error) {
	if err != nil {
		panic(fail(name, err).Error())
	}
}

// reverse is the reverse of o.
func reverse(o key.Order) key.Order {
	o.Desc = !o.Desc
	return o
}

// onHost does what the function of that name does to so many items: on the CPU, also if s
// is bound to a device, and with the limits of s.
func (s *Sorter) onHost(ctx context.Context, name string, items int, do func(o key.Order, h cpu.Options) error) error {
	if err := s.check(name); err != nil {
		return err
	}
	r, err := s.engine.OnHost(ctx, name, items, func(h cpu.Options) error { return do(s.order, h) })
	s.note(ctx, r)
	return fail(name, err)
}
