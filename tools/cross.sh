#!/usr/bin/env bash
# Compiles the library and the command for the other platforms, and the static
# build without device code for this one.
set -eu
export CGO_ENABLED=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for target in linux/arm64 windows/amd64 darwin/arm64; do
	GOOS=${target%/*} GOARCH=${target#*/} go build -o "$out/" ./...
	GOOS=${target%/*} GOARCH=${target#*/} go vet -unsafeptr=false . ./internal/driver/... ./internal/algo/...
	echo "compiles for $target"
done
go build -tags nogpu -o "$out/gpusort" ./cmd/gpusort
if command -v readelf >/dev/null && readelf -d "$out/gpusort" 2>/dev/null | grep -q NEEDED; then
	echo 'the nogpu build is not static:' >&2
	readelf -d "$out/gpusort" | grep NEEDED >&2
	exit 1
fi
echo 'nogpu build is static'
