package cpu

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// must panics with what a function of that name is refused for. Nothing else can go
// wrong without a context.
func must(name string, err error) {
	if err != nil {
		panic(failed(name, err).Error())
	}
}

// reverse is the reverse of o.
func reverse(o key.Order) key.Order {
	o.Desc = !o.Desc
	return o
}

// onHost does what the function of that name does, with the limits of s.
func (s *Sorter) onHost(ctx context.Context, name string, do func(o key.Order, h cpu.Options) error) error {
	set := s.with(ctx)
	h := set.options()
	err := h.Err()
	if err == nil {
		err = do(set.order, h)
	}
	return failed(name, err)
}
