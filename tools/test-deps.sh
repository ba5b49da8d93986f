#!/usr/bin/env bash
# Installs what the tests need beside Go, where that is possible without a
# question; else says what will be skipped and how to get it.
set -u
want=()
have_lib() { ldconfig -p 2>/dev/null | grep -q "$1" || ls /usr/lib/*/"$1"* >/dev/null 2>&1; }
have_lib libOpenCL.so.1 || want+=(ocl-icd-libopencl1)
ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 || want+=(pocl-opencl-icd)
[ -e /usr/lib/oclgrind/liboclgrind-rt.so ] || want+=(oclgrind)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || want+=(chromium)
command -v cc >/dev/null || want+=(gcc libc6-dev)
command -v qemu-aarch64-static >/dev/null || command -v qemu-aarch64 >/dev/null || want+=(qemu-user-static)
[ ${#want[@]} -eq 0 ] && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing for the tests: ${want[*]}"
	log=$(mktemp)
	if { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${want[@]}"; } >"$log" 2>&1; then
		rm -f "$log"
		exit 0
	fi
	tail -5 "$log"
	rm -f "$log"
fi
echo "NOT INSTALLED: ${want[*]}. Tests that need them will be skipped (Debian: apt-get install ${want[*]})."
