#!/usr/bin/env bash
# Compiles the library and the command for the other platforms, and tests the parts
# that differ there.
set -eu
export CGO_ENABLED=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# What is compiled to see that it compiles is not optimised, which takes half of the time.
fast=('-toolexec=env GOGC=400' '-gcflags=all=-dwarf=false -N -l' '-ldflags=-s -w')
for target in linux/arm64 linux/386 windows/amd64 darwin/arm64 android/arm64; do
	GOOS=${target%/*} GOARCH=${target#*/} go build "${fast[@]}" -o "$out/" ./... ./cmd/... ./cluster/...
	vetted='. ./internal/driver/... ./internal/algo/...'
	# Tests of files and processes are of Unix in part: the others have to compile without those.
	[ "$target" != windows/amd64 ] || vetted="$vetted ./internal/run ./rows ./cmd/internal/... ./cmd/gpusort-tables"
	GOOS=${target%/*} GOARCH=${target#*/} go vet "${fast[@]:0:2}" -unsafeptr=false $vetted
	echo "compiles for $target"
done
# The processor's sort alone builds wherever a plain Go program does: six here, the
# others with the argument "all" (make cross-all).
alone=./cpu
[ -d cpu ] || alone=./internal/algo/cpu
targets='js/wasm wasip1/wasm android/arm64 linux/riscv64 windows/amd64 freebsd/amd64'
[ "${1-}" != all ] || targets="$targets openbsd/amd64 netbsd/amd64"
for target in $targets; do
	GOOS=${target%/*} GOARCH=${target#*/} go build "${fast[@]}" "$alone"
	echo "$alone compiles for $target"
done
# The host sort as the other processors run it: on arm64 where qemu-user is
# installed, and here under the tag that leaves the assembly out.
few='TestSort/plain/u32'
go test -tags purego -short -run "$few" ./internal/algo/cpu >/dev/null
echo 'the host sort passes under the tag purego'
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [ -n "$qemu" ]; then
	GOARCH=arm64 go test -c -o "$out/arm64.test" ./internal/algo/cpu
	(cd internal/algo/cpu && "$qemu" "$out/arm64.test" -test.short -test.run "$few" >/dev/null)
	echo 'the host sort passes on arm64, emulated'
else
	tools/skip.sh qemu-aarch64 'the host sort is not tested on arm64 (Debian: apt-get install qemu-user-static)'
fi
if command -v node >/dev/null; then
	GOOS=js GOARCH=wasm go test -short -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
		-run '^Test(AsLibrary|Sorter|Specials|FewRows)$' "$alone" >/dev/null
	echo "$alone passes on js/wasm, under node"
else
	tools/skip.sh node 'package cpu is not tested on WebAssembly'
fi
go test -tags nogpu ./internal/kernel >/dev/null
# tools/cmd/size looks into the program that this tag makes.
echo 'the nogpu build holds no device code'
