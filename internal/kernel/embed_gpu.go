//go:build !nogpu && !android

package kernel

import "embed"

// files has the device code, one image a file.
//
//go:embed embed
var files embed.FS

// embedsCode says that files has the code of every image.
const embedsCode = true
