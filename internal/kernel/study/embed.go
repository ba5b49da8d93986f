//go:build !nogpu && !android

package study

import (
	"embed"

	"github.com/gpusort/gpusort/internal/kernel"
)

//go:embed *.zst
var code embed.FS

func init() { kernel.Link(code) }
