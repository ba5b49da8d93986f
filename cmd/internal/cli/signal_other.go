//go:build !unix

package cli

// ignoreFileSizeSignal does nothing: there is no such signal here.
func ignoreFileSizeSignal() {}

// surviveBrokenPipe does nothing: there is no such signal here.
func surviveBrokenPipe() {}
