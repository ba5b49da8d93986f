//go:build !nogpu && !android

package study

import (
	"embed"

	"github.com/gpusort/gpusort/internal/kernel"
)

//go:embed *.gz
var code embed.FS

func init() { kernel.Link(code) }
