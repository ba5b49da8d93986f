//go:build nogpu || android

package cli

// withGPU says that this build has no device drivers.
const withGPU = false
