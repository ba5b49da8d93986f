//go:build nogpu

package kernel

import "embed"

// files is empty: a build with the nogpu tag holds no device code. The manifest
// stays, so that Hash is the same in every build of one commit.
var files embed.FS

const embedsCode = false
