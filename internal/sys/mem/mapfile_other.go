//go:build !linux

package mem

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func willNeed([]byte) {}

func load([]byte) bool { return true }
