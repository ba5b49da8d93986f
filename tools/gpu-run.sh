#!/usr/bin/env bash
# Runs the suites and benchmarks of this bundle on a machine with a GPU.
#   run.sh RESULTS [suite] [sanitize] [bench]     (default: suite bench)
# Needs no Go and no network. Writes one log a test binary, environment.txt and
# version.json into RESULTS; tools/cmd/verified reads them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh RESULTS [suite] [sanitize] [bench]}
shift
[ $# -gt 0 ] || set -- suite bench
mkdir -p "$out"
out=$(cd "$out" && pwd)

# An OpenCL loader and NVIDIA's driver, where the machine has none configured.
icd=$(mktemp -d)
driver=$(find /usr/lib /usr/local /lib -name 'libnvidia-opencl.so.1' 2>/dev/null | head -1)
if [ -n "$driver" ]; then
	echo "$driver" >"$icd/nvidia.icd"
	export OCL_ICD_VENDORS=$icd
	export LD_LIBRARY_PATH=$here/lib:$(dirname "$driver"):${LD_LIBRARY_PATH:-}
fi
export GPUSORT_REQUIRE=${GPUSORT_REQUIRE:-cuda,opencl}
export GPUSORT_CACHE=$icd/cache

"$here/gpusort" version --json >"$out/version.json"
{
	date -u +%FT%TZ
	nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.draw --format=csv 2>&1
	"$here/gpusort" devices
} >"$out/environment.txt" 2>&1
cat "$out/environment.txt"

status=0
for step in "$@"; do
	case $step in
	suite)
		for t in "$here"/tests/*/run.test; do
			name=$(basename "$(dirname "$t")")
			start=$SECONDS
			(cd "$(dirname "$t")" && timeout "${SUITE_TIMEOUT:-300}" ./run.test -test.v ${SUITE_FLAGS:-}) >"$out/suite-$name.log" 2>&1
			rc=$?
			printf '%-28s rc %d  pass %d fail %d skip %d  %d s\n' "$name" $rc \
				"$(grep -c -- '--- PASS' "$out/suite-$name.log")" "$(grep -c -- '--- FAIL' "$out/suite-$name.log")" \
				"$(grep -c -- '--- SKIP' "$out/suite-$name.log")" $((SECONDS - start))
			echo "rc=$rc" >>"$out/suite-$name.log"
			[ $rc = 0 ] || { status=1; grep -E -A3 -- '--- FAIL|panic|fatal' "$out/suite-$name.log" | head -20; }
		done
		;;
	sanitize)
		for tool in memcheck racecheck initcheck synccheck; do
			(cd "$here/tests/internal-dispatch-suite" && GPUSORT_SUITE=sanitize GPUSORT_REQUIRE=cuda timeout "${SANITIZE_TIMEOUT:-200}" \
				compute-sanitizer --tool $tool --error-exitcode 97 ./run.test -test.v -test.short) >"$out/sanitize-$tool.log" 2>&1
			rc=$?
			echo "rc=$rc" >>"$out/sanitize-$tool.log"
			printf 'sanitizer %-10s rc %d  %s\n' $tool $rc "$(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$out/sanitize-$tool.log" | tail -1)"
			[ $rc = 0 ] || status=1
		done
		;;
	bench)
		(cd "$here/tests/gpusort" && ./run.test -test.run '^$' -test.bench . -test.benchtime 5x -test.count 3) >"$out/bench.txt" 2>&1 || status=1
		grep -E 'Benchmark' "$out/bench.txt" | head -40
		;;
	*) echo "run.sh: unknown step $step: suite, sanitize, bench" >&2; status=2 ;;
	esac
done
rm -rf "$icd"
tar -czf "$out/results.tar.gz" -C "$out" $(cd "$out" && ls *.log *.txt *.json 2>/dev/null)
exit $status
