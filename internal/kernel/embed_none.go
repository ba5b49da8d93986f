//go:build nogpu || android

package kernel

import "embed"

// files is empty: a build with the nogpu tag holds no device code, nor does one for
// Android, where neither CUDA nor an OpenCL that programs may load is. The manifest
// stays, so that Hash is the same in every build of one commit.
var files embed.FS

const embedsCode = false
