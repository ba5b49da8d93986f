//go:build !nogpu && windows && (amd64 || arm64)

package peer

import "syscall"

func open(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

// symbol returns 0 for a name that the library lacks.
func symbol(lib uintptr, name string) uintptr {
	p, err := syscall.GetProcAddress(syscall.Handle(lib), name)
	if err != nil {
		return 0
	}
	return p
}
