//go:build !nogpu && !android

package cli

// withGPU says that this build has the device drivers.
const withGPU = true
