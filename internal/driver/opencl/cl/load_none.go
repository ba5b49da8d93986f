//go:build nogpu || android || ios || !(linux || darwin || windows) || !(amd64 || arm64)

package cl

import "errors"

var errNoGPU = errors.New("this program was built without GPU support (build tag nogpu, or a platform for which there is none)")

func open(string) (uintptr, error)            { return 0, errNoGPU }
func symbol(uintptr, string) (uintptr, error) { return 0, errNoGPU }
func invoke(uintptr, []uintptr) uintptr       { panic(errNoGPU) }
