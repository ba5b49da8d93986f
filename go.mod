module github.com/gpusort/gpusort

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/klauspost/compress v1.20.4
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.49.0
)
