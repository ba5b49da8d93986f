//go:build !unix

package store

// umask is what new files are without.
const umask = 0
