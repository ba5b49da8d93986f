//go:build !linux

package mem

import "errors"

const noReserve = 0

func preferHuge([]byte) {}

func preferSmall([]byte) {}

func drop([]byte) error { return errors.ErrUnsupported }
