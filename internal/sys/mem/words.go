// Package mem is host memory beside the caller's: pooled blocks for safety copies
// and merges, plain words, and what the host has left.
package mem

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
)

// Shortage is the error of host memory that cannot be had. It wraps
// driver.ErrOutOfMemory.
func Shortage(op, amount, why, remedy string) error {
	return &driver.Error{Op: op, Name: "OUT_OF_HOST_MEMORY", Device: "host", Class: driver.ErrOutOfMemory,
		Detail: fmt.Sprintf("%s of host memory are needed, %s: %s", amount, why, remedy)}
}

// Words is Go memory of at least so many bytes, zeroed. It returns
// ErrOutOfMemory for more than the host has or a Go slice can be.
func Words(op string, bytes uint64) (words []uint64, err error) {
	short := func(why string) error {
		return Shortage(op, fmt.Sprintf("%d bytes", bytes), why, "ask for less")
	}
	if bytes >= askHostFrom {
		if total, ok := hostTotal(); ok && bytes > total {
			return nil, short(fmt.Sprintf("the host has %d", total))
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = short(fmt.Sprint(r))
		}
	}()
	return make([]uint64, (bytes+7)/8), nil
}
