//go:build !unix

package cli

const allowFiles = "allow more"

func checkDescriptors() error { return nil }
