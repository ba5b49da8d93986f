#!/usr/bin/env bash
# Runs the suites and benchmarks of this bundle on a machine with a GPU.
#   run.sh RESULTS [suite] [sanitize] [bench] [lab]     (default: suite bench)
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
		# The four tools at once: each is bound by its own host thread. They run
		# a share of the small grid of every CUDA algorithm, and one sort of each
		# algorithm that takes large inputs only.
		tools=${TOOLS:-memcheck racecheck initcheck synccheck}
		"$here/gpusort" gen --type u32 --n 16777300 --dist uniform --seed 5 -o "$out/large.u32" && "$here/gpusort" gen --type u64 --n 4194400 --seed 6 -o "$out/large.u64" || status=1
		for tool in $tools; do
			(
				cd "$here/tests/internal-dispatch-suite" || exit 1
				export OCL_ICD_VENDORS=/nonexistent GPUSORT_REQUIRE=cuda GPUSORT_SUITE_ITEMS=70000 GPUSORT_SUITE_EVERY="${SANITIZE_EVERY:-4}"
				check="timeout ${SANITIZE_TIMEOUT:-280} compute-sanitizer --tool $tool --error-exitcode 97"
				{
					$check "$here/gpusort" sort "$out/large.u32" -o "$out/sorted-$tool.u32" --device cuda:0 --algo radix-msd &&
						"$here/gpusort" verify "$out/sorted-$tool.u32" --against "$out/large.u32" &&
						$check "$here/gpusort" sort "$out/large.u64" -o "$out/sorted-$tool.u64" --device cuda:0 --algo radix-msd &&
						"$here/gpusort" verify "$out/sorted-$tool.u64" --against "$out/large.u64" &&
						$check "$here/gpusort" sort "$out/large.u32" --argsort -o "$out/sorted-$tool.u64" --device cuda:0 --algo radix-msd &&
						$check "$here/gpusort" sort "$out/large.u64" --argsort -o "$out/sorted-$tool.u64" --device cuda:0 --algo radix-msd &&
						$check ./run.test -test.v -test.short -test.run "${SANITIZE_RUN:-TestEquality}"
					echo "rc=$?"
				} >"$out/sanitize-$tool.log" 2>&1
				rm -f "$out/sorted-$tool".*
			) &
		done
		wait
		rm -f "$out"/large.*
		for tool in $tools; do
			log=$out/sanitize-$tool.log
			printf 'sanitizer %-10s %s  %s  %s\n' $tool "$(tail -1 "$log")" \
				"$(grep 'ERROR SUMMARY\|RACECHECK SUMMARY' "$log" | tail -1)" "$(grep -E '^[0-9]+ passed' "$log" | tail -1)"
			[ "$(tail -1 "$log")" = rc=0 ] || status=1
		done
		;;
	bench)
		(cd "$here/tests/gpusort" && ./run.test -test.run '^$' -test.bench . -test.benchtime 5x -test.count 3) >"$out/bench.txt" 2>&1 || status=1
		grep -E 'Benchmark' "$out/bench.txt" | head -40
		;;
	lab)
		# LAB names experiments, or holds flags of gpusort bench.
		peers=
		for p in "$here"/lib/libgpusort_baselines*.so; do [ ! -e "$p" ] || peers=$peers:$p; done
		GPUSORT_PEERS=${peers#:} "$here/gpusort" bench ${LAB:-"$here/experiments/cub.toml"} --json "$out/lab.jsonl" --resume --md "$out/lab.md" --csv "$out/lab.csv" || status=1
		head -100 "$out/lab.md"
		;;
	*) echo "run.sh: unknown step $step: suite, sanitize, bench, lab" >&2; status=2 ;;
	esac
done
rm -rf "$icd"
tar -czf "$out/results.tar.gz" -C "$out" $(cd "$out" && ls *.log *.txt *.json *.jsonl *.md *.csv 2>/dev/null)
exit $status
