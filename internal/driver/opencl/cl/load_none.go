//go:build nogpu || android || ios || !(linux || darwin || windows) || !(amd64 || arm64)

package cl

// canLoad says whether open can succeed at all.
const canLoad = false

func open(string) (uintptr, error)            { return 0, ErrBuiltWithout }
func symbol(uintptr, string) (uintptr, error) { return 0, ErrBuiltWithout }
func invoke(uintptr, []uintptr) uintptr       { panic(ErrBuiltWithout) }
