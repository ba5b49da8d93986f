#!/usr/bin/env bash
# Runs the table of bars of docs/benchmarks/cpu.md from a bundle
# (tools/cpu-bundle.sh) on this machine, in about four minutes:
#   run.sh RESULTS [bars] [curve]        (default: bars)
# Writes environment.txt, bars.md and bars.jsonl (and curve.md, curve.jsonl) to
# RESULTS. LIMIT is the time after which a cell starts no new round, ONLY names
# some of the bars, PYTHON a Python that has NumPy.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh RESULTS [bars] [curve]}
shift
[ $# -gt 0 ] || set -- bars
mkdir -p "$out"
{
	date -u +%FT%TZ
	uname -srm
	lscpu 2>/dev/null | grep -E '^(Model name|CPU\(s\)|L[123])|Thread'
	cat /proc/loadavg /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null
} >"$out/environment.txt"
cat "$out/environment.txt"
# One processor of our own for what runs on one thread: the kernel does not
# move it. Workers get two.
bench() {
	taskset -c "${CPUS:-2,3}" true 2>/dev/null && set -- taskset -c "${CPUS:-2,3}" "$@"
	"$@"
}
status=0
for step in "$@"; do
	rm -f "$out/$step.jsonl"
	case $step in
	bars) set -- -bars -only "${ONLY:-}" -limit "${LIMIT:-2s}" ;;
	curve) set -- -curve "${TYPE:-u64}" -limit "${LIMIT:-1s}" ;;
	*) echo "run.sh: unknown step $step: bars, curve" >&2; exit 2 ;;
	esac
	start=$SECONDS
	bench "$here/cpubench" "$@" -vqsort "$here/lib/libvqsort.so" -numpy "$here/numpy_sort.py" \
		-python "${PYTHON:-python3}" -json "$out/$step.jsonl" 2>&1 | tee "$out/$step.md"
	rc=${PIPESTATUS[0]}
	[ "$rc" = 0 ] || status=1
	echo "$step: $((SECONDS - start)) s, rc $rc"
done
exit $status
