// Package dynlib opens shared libraries where there is dlopen, without cgo, and tells
// why one could not be opened.
package dynlib
