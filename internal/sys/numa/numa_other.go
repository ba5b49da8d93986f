//go:build !linux

package numa

func on(_ int, f func() error) error { return f() }
