//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

// Handle implements driver.Streamer: the CUstream.
func (q *queue) Handle() uintptr { return uintptr(q.s) }
