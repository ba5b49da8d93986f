#!/usr/bin/env bash
# Runs the suites and benchmarks of this bundle on a machine with a GPU.
#   run.sh RESULTS [equality] [suite] [sanitize] [race] [bench] [lab] [reports] [profile] [grade] [tune]
# Default: equality suite bench. A machine that is lent for ten minutes at a time runs
# equality and suite in two calls, into one folder: both use all its processors. Needs no Go and no network. Writes one log a test binary,
# environment.txt and version.json into RESULTS; tools/cmd/verified reads them,
# and 'make pages RESULTS=…' makes pages of what reports, profile and grade leave,
# tools/cmd/tune a table of what tune leaves. reports, profile and tune go on where
# an earlier run into the same folder stopped.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh RESULTS [equality] [suite] [sanitize] [race] [bench] [lab] [reports] [profile] [grade] [tune]}
shift
[ $# -gt 0 ] || set -- equality suite bench
mkdir -p "$out"
out=$(cd "$out" && pwd)

[ -d "$here/tests" ] || tar -xJf "$here/tests.tar.xz" -C "$here" || exit 1

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

# gpusort names its results' command with these paths.
cd "$here" || exit 1
peers=
for p in lib/libgpusort_baselines*.so; do [ ! -e "$p" ] || peers=$peers:./$p; done

# one NAME LOG FLAGS… runs a test binary.
one() {
	name=$1 log=$out/suite-$2.log start=$SECONDS
	shift 2
	(cd "$here/tests/$name" && timeout "${SUITE_TIMEOUT:-420}" ./run.test -test.v "$@" ${SUITE_FLAGS:-}) >"$log" 2>&1
	rc=$?
	printf '%-40s rc %d  pass %d fail %d skip %d  %d s\n' "$(basename "$log" .log)" $rc \
		"$(grep -c -- '--- PASS' "$log")" "$(grep -c -- '--- FAIL' "$log")" "$(grep -c -- '--- SKIP' "$log")" $((SECONDS - start))
	echo "rc=$rc" >>"$log"
	[ $rc = 0 ] || grep -E -A3 -- '--- FAIL|panic|fatal' "$log" | head -20
	return $rc
}

status=0
for step in "$@"; do
	case $step in
	equality)
		one internal-engine-suite internal-engine-suite-equality -test.run=TestEquality || status=1
		;;
	suite)
		# The largest suite waits for the host most of the time: in processes beside
		# each other.
		large='TestPast32Bits|TestLayouts|TestHostRows' repeats=TestThousandRepeats
		if [ -d "$here/tests/internal-engine-suite" ]; then
			one internal-engine-suite internal-engine-suite-large "-test.run=$large" &
			one internal-engine-suite internal-engine-suite-repeats "-test.run=$repeats" &
			one internal-engine-suite internal-engine-suite "-test.skip=TestEquality|$large|$repeats" &
		fi
		for t in "$here"/tests/*/run.test; do
			name=$(basename "$(dirname "$t")")
			case $name in
			internal-engine-suite) ;;
			internal-engine) one "$name" "$name" '-test.run=OnDevices' ;;
			*) one "$name" "$name" ;;
			esac
		done
		wait
		for log in "$out"/suite-*.log; do [ "$(tail -1 "$log")" = rc=0 ] || status=1; done
		;;
	sanitize)
		# Three tools at once; race is the fourth: each is bound by its own host thread. They run
		# a share of the small grid of every CUDA algorithm, and one sort of each
		# algorithm that takes large inputs only.
		tools=${TOOLS:-memcheck initcheck synccheck}
		"$here/gpusort" gen --type u32 --n 16777300 --dist uniform --seed 5 -o "$out/large.u32" && "$here/gpusort" gen --type u64 --n 4194400 --seed 6 -o "$out/large.u64" || status=1
		for tool in $tools; do
			(
				cd "$here/tests/internal-engine-suite" || exit 1
				export OCL_ICD_VENDORS=/nonexistent GPUSORT_REQUIRE=cuda GPUSORT_SUITE_ITEMS=70000 GPUSORT_SUITE_EVERY="${SANITIZE_EVERY:-4}"
				check="timeout ${SANITIZE_TIMEOUT:-280} compute-sanitizer --tool $tool --error-exitcode 97"
				{
					$check "$here/gpusort" sort "$out/large.u32" -o "$out/sorted-$tool.u32" --device cuda:0 --algo radix-msd &&
						"$here/gpusort" verify "$out/sorted-$tool.u32" --against "$out/large.u32" &&
						$check "$here/gpusort" sort "$out/large.u64" -o "$out/sorted-$tool.u64" --device cuda:0 --algo radix-msd &&
						"$here/gpusort" verify "$out/sorted-$tool.u64" --against "$out/large.u64" &&
						$check "$here/gpusort" sort "$out/large.u32" --argsort -o "$out/sorted-$tool.u64" --device cuda:0 --algo radix-msd &&
						$check "$here/gpusort" sort "$out/large.u64" --argsort -o "$out/sorted-$tool.u64" --device cuda:0 --algo radix-msd &&
						$check ./run.test -test.v -test.short -test.run "${SANITIZE_RUN:-TestEquality}" &&
						(cd ../gpusort && $check ./run.test -test.v -test.short -test.run TestBufferOperations)
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
	race)
		# The race checker takes long to prepare kernels: so the algorithms of each
		# module run in a process of their own, all beside each other, for so long.
		# Sorts of large inputs, by the route of their distribution, and counting, which
		# needs a maximum, run once. RACE_ONLY, an extended regular expression, chooses jobs:
		# their logs take the place of an earlier run's into the same folder.
		work=$(mktemp -d)
		known=$("$here/gpusort" bench --list | awk -F'│' '$3 ~ /cuda/ && $4 ~ /catalogue/ {gsub(/ /, "", $2); print $2}' | sort -u)
		for run in "radix-msd u32 keys 16777300" "radix-msd f64 keys 4194400" "radix-msd u32 argsort 16777300" "radix-msd u64 argsort 4194400" \
				"radix-msd u32 pairs 16777300" "radix-msd u64 pairs 4194400" \
				"radix-msd u64 pairs 4194400 random-p5" "radix-msd u64 argsort 4194400 few-distinct" \
				"radix-msd u64 keys 4194400 random-p5" "radix-msd f64 argsort 4194400 normal" \
				"grid-radix u64 keys 262144 entropy-0.544" "grid-radix u64 pairs 131073 entropy-0.201" "grid-radix u64 keys 262144 few-distinct" \
				"grid-radix u64 pairs 30000 entropy-0.544" "grid-radix f64 keys 262144 normal" "grid-radix u64 argsort 131073 msd-skew" "grid-radix f64 keys 30000 random-p5" \
				"block-radix u64 keys 5001 zipf" "block-radix u32 pairs 4784 two-values" "block-radix f32 argsort 5001 zipf" \
				"counting u32 keys 20011" "counting u8 keys 20011"; do
			echo "run $run"
		done >"$work/jobs"
		for algo in $known; do
			case $algo in
			radix-msd | counting) ;;
			bitonic-shared* | bitonic-presort) echo "suite bitonic-shared $algo" ;;
			bitonic*) echo "suite bitonic $algo" ;;
			block-radix | grid-radix) echo "suite small $algo" ;;
			merge-*) echo "suite merge $algo" ;;
			radix-4way | radix-host-scatter) echo "suite radix-4way $algo" ;;
			*) echo "suite $algo $algo" ;;
			esac
		done | sort | awk '{k = $1 " " $2; if (!(k in m)) m[k] = $3; else m[k] = m[k] "," $3} END {for (k in m) print k, m[k]}' >>"$work/jobs"
		grep -E "${RACE_ONLY:-.}" "$work/jobs" >"$work/chosen"
		export here out RACE_DEVICE=${RACE_DEVICE:-cuda:0} RACE_TIMEOUT=${RACE_TIMEOUT:-240} GPUSORT_SUITE_TIME=${RACE_STOP:-100s}
		export GPUSORT_SUITE_ITEMS=${RACE_ITEMS:-70000} GPUSORT_SUITE_EVERY=${RACE_EVERY:-4}
		xargs -P "${RACE_JOBS:-16}" -L 1 bash -c '
			check="timeout $RACE_TIMEOUT compute-sanitizer --tool racecheck --error-exitcode 97"
			if [ "$1" = run ]; then
				log=$out/race-$2-$3-$4${6:+-$6}.txt max=0
				[ "$2" != counting ] || max=255
				$check "$here/gpusort" run "$2" --type "$3" --mode "$4" --size "$5" --max-value $max ${6:+--dist "$6"} --runs 1 --device "$RACE_DEVICE" >"$log" 2>&1
			else
				log=$out/race-$2.txt
				cd "$here/tests/internal-engine-suite" &&
					OCL_ICD_VENDORS=/nonexistent GPUSORT_REQUIRE=cuda GPUSORT_SUITE_WORKERS=2 GPUSORT_SUITE_ALGO=$3 $check ./run.test -test.v -test.short -test.run TestEquality >"$log" 2>&1
			fi
			rc=$?
			[ "$1" = suite ] || [ $rc != 0 ] || echo "1 passed, 0 failed" >>"$log"
			echo "$* rc=$rc $SECONDS s $(grep -E "^[0-9]+ passed" "$log")" | tee -a "$log"' _ <"$work/chosen"
		{
			cat "$out"/race-*.txt
			for log in "$out"/race-*.txt; do tail -1 "$log"; done |
				awk -v jobs="$(wc -l <"$work/jobs")" '{ for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) ok += $(i-1); if ($i ~ /^failed/) bad += $(i-1); if ($i ~ /^skipped/) no += $(i-1); if ($i == "rc=0") ended++; if ($i == "rc=124") cut++ } }
				END { printf "%d of %d processes ended well, %d at their time limit\n%d passed, %d failed, %d skipped\nrc=%d\n", ended, jobs, cut, ok, bad, no, ended == jobs ? 0 : ended + cut == jobs ? 124 : 1 }'
		} >"$out/sanitize-racecheck.log" 2>&1
		rm -rf "$work"
		tail -3 "$out/sanitize-racecheck.log"
		[ "$(tail -1 "$out/sanitize-racecheck.log")" = rc=0 ] || status=1
		;;
	bench)
		(cd "$here/tests/gpusort" && ./run.test -test.run '^$' -test.bench . -test.benchtime 5x -test.count 3) >"$out/bench.txt" 2>&1 || status=1
		grep -E 'Benchmark' "$out/bench.txt" | head -40
		;;
	lab)
		# LAB names experiments, or holds flags of gpusort bench.
		GPUSORT_PEERS=${peers#:} "$here/gpusort" bench ${LAB:-"$here/experiments/cub.toml"} --json "$out/lab.jsonl" --resume --md "$out/lab.md" --csv "$out/lab.csv" || status=1
		head -100 "$out/lab.md"
		;;
	reports)
		# Every experiment, each at most REPORTS_EACH; cells that are there already
		# are left out, so that a second run ends what the first began.
		for name in ${REPORTS:-english spanish russian greek cub}; do
			start=$SECONDS
			GPUSORT_PEERS=${peers#:} ./gpusort bench "experiments/$name.toml" --json "$out/$name.jsonl" --resume \
				--stop-after "${REPORTS_EACH:-170s}" --md "$out/$name.md" >"$out/reports-$name.txt" 2>&1
			rc=$?
			printf 'experiment %-10s rc %d  ok %d  unsupported %d  failed %d  %d s\n' "$name" $rc \
				"$(grep -c '"status":"ok"' "$out/$name.jsonl")" "$(grep -c '"status":"unsupported"' "$out/$name.jsonl")" \
				"$(grep -c '"status":"failed"' "$out/$name.jsonl")" $((SECONDS - start))
			grep -E '^(failed|unsupported):|gpusort: ' "$out/reports-$name.txt" | cut -c1-220
			[ $rc = 0 ] || status=1
		done
		;;
	profile)
		# Steps, and Nsight Compute's counters where ncu is there and may count.
		# Then the recordings of small sorts for the animation.
		command -v ncu >/dev/null || PATH=$PATH:$(ls -d /usr/local/cuda*/bin /opt/nvidia/nsight-compute/* 2>/dev/null | tr '\n' ':')
		known=$(./gpusort bench --list)
		has() { grep -qE "^│ $1 +│[^│]*$2" <<<"$known"; }
		for spec in ${PROFILE:-onesweep:24 radix-msd:24 merge-path:22 merge-separators:16 counting:24 bitonic:24 bitonic-shared:24 bitonic-shared-step:24 bitonic-presort:24 bitonic-pairs:24 bitonic-div:24 bitonic-naive:24}; do
			name=${spec%:*} more=
			[ "$name" != counting ] || more='-a MaxValue=255'
			has "$name" cuda && [ ! -s "$out/profile-$name.json" ] || continue
			timeout "${PROFILE_EACH:-60}" ./gpusort profile -a "Algo=$name" -a "Elements[pow2]=${spec#*:}" $more -d cuda:0 --json >"$out/profile-$name.tmp" 2>"$out/profile-$name.log" ||
				timeout "${PROFILE_EACH:-60}" ./gpusort profile -a "Algo=$name" -a "Elements[pow2]=${spec#*:}" $more -d cuda:0 --no-counters --json >"$out/profile-$name.tmp" 2>>"$out/profile-$name.log" || status=1
			mv "$out/profile-$name.tmp" "$out/profile-$name.json"
			printf 'profile %-20s counters of %d kernels %s\n' "$name" "$(grep -c '"values"' "$out/profile-$name.json")" \
				"$(grep -o '"no_counters": *"[^"]*"' "$out/profile-$name.json" | head -1 | cut -c1-160)"
		done
		# The processor's ladder, with what perf counts where it is.
		host=
		for name in bitonic-recursive bitonic-iter0 bitonic-iter1 bitonic-iter2 bitonic-iter3; do ! has $name cpu || host=$host,$name; done
		if [ -n "$host" ] && [ ! -s "$out/profile-host.json" ]; then
			timeout "${PROFILE_EACH:-60}" ./gpusort profile -a "Algo=[${host#,}]" -a KeyT=i32 -a "Elements[pow2]=20" -d cpu --runs 3 --json >"$out/profile-host.json" 2>"$out/profile-host.log" || status=1
		fi
		for spec in ${RECORD:-bitonic-naive:16 bitonic-shared:64 bitonic:64 merge-path:1024:0:32 merge-separators:1024:0:32 radix-4way:256}; do
			IFS=: read -r name n blocks threads <<<"$spec"
			has "$name" cuda && [ ! -s "$out/steps-$name.json" ] || continue
			timeout 30 ./gpusort profile -a "Algo=$name" -a "Elements=$n" -a "Blocks=${blocks:-0}" -a "Threads=${threads:-0}" -d cuda:0 --record "$out/steps-$name.json" 2>&1 | head -3
		done
		;;
	grade)
		# The templates as submissions: each must compile here and earn points.
		cuda=$(ls -d /usr/local/cuda*/ 2>/dev/null | head -1)
		[ -n "${NVCC:-}" ] || command -v nvcc >/dev/null || [ ! -x "${cuda}bin/nvcc" ] || export NVCC=${cuda}bin/nvcc
		[ -n "${GPUSORT_LIBNVRTC:-}" ] || [ -z "$cuda" ] || export GPUSORT_LIBNVRTC=$(ls "$cuda"lib64/libnvrtc.so* 2>/dev/null | head -1)
		[ -n "${GPUSORT_LIBNVRTC:-}" ] || unset GPUSORT_LIBNVRTC
		for kind in cu cl so; do
			dev=cuda:0 rubric=english file=$out/template.$kind
			[ $kind != cl ] || dev=opencl:0
			if [ $kind = so ]; then
				dev=cpu rubric=demo
				command -v cc >/dev/null || { echo 'grade so: no C compiler (cc) here'; continue; }
				./gpusort grade --template so >"$out/template.c" && cc -O2 -shared -fPIC -I include -o "$file" "$out/template.c" || status=1
			else
				./gpusort grade --template $kind >"$file" || status=1
			fi
			timeout "${GRADE_EACH:-90}" ./gpusort grade "$file" --rubric "experiments/rubrics/$rubric.toml" -d $dev --seed 1 \
				--json "$out/grade-$kind.json" --junit "$out/grade-$kind.xml" --gradescope "$out/grade-$kind-gradescope.json" --html "$out/grade-$kind.html" >"$out/grade-$kind.log" 2>&1 || status=1
			printf 'grade %s on %s: %s\n' $kind $dev "$(grep -E '│ total|gpusort: ' "$out/grade-$kind.log" | tail -1)"
		done
		;;
	tune)
		# The variants of tools/cmd/tune in tune/, one process each: first verified by
		# the suite and over kinds of input, then measured in rounds, each in another
		# order. TUNE_STOP seconds after its start the step begins no further process;
		# run again into the same folder it goes on.
		start=$SECONDS work=$out/tune-parts runs=$here/tune/runs.txt
		[ ! -e "$here/tune.tar.gz" ] || tar -xzf "$here/tune.tar.gz" -C "$here"
		[ -s "$runs" ] || { echo 'run.sh: this bundle has no tune/: tools/cmd/tune writes it' >&2; status=1; continue; }
		mkdir -p "$work"
		over() { [ $((SECONDS - start)) -ge "${TUNE_STOP:-480}" ]; }
		# A log and a part are those of the code whose hash they hold.
		code() { sha256sum "$here/tune/$1"/*.cubin | cut -d' ' -f1; }
		passed() { [ "$(tail -1 "$out/tune-$1.log" 2>/dev/null)" = rc=0 ] && grep -q "$(code "$1")" "$out/tune-$1.log"; }
		while read -r name experiment algo; do
			log=$out/tune-$name.log
			! over || break
			! passed "$name" || continue
			(
				code "$name"
				export GPUSORT_VARIANT=$here/tune/$name GPUSORT_REQUIRE=cuda OCL_ICD_VENDORS=/nonexistent
				cd "$here/tests/internal-engine-suite" && GPUSORT_SUITE_ALGO=$algo GPUSORT_SUITE_TIME=${TUNE_VERIFY:-5s} \
					timeout 120 ./run.test -test.v -test.run TestEquality &&
					timeout 120 "$here/gpusort" bench "$here/tune/$experiment.toml" --small
				echo "rc=$?"
			) </dev/null >"$log" 2>&1
			printf 'verify %-50s %s  %s\n' "$name" "$(tail -1 "$log")" "$(grep -E '^[0-9]+ passed' "$log")"
			[ "$(tail -1 "$log")" = rc=0 ] || status=1
		done <"$runs"
		for round in $(seq -w "${TUNE_ROUNDS:-7}"); do
			while read -r name experiment algo; do
				part=$work/$round-$name
				! over || { echo "tune: stopped after ${TUNE_STOP:-480} s in round $round; the same command goes on" && break 2; }
				passed "$name" || continue
				! grep -qs "$(code "$name")" "$part.jsonl" || continue
				rm -f "$part.jsonl" "$part.tmp"
				if GPUSORT_VARIANT=$here/tune/$name "$here/gpusort" bench "tune/$experiment.toml" --json "$part.tmp" </dev/null >"$part.log" 2>&1; then
					mv "$part.tmp" "$part.jsonl"
				else
					status=1
					echo "round $round $name: $(grep -E '^(failed|gpusort):' "$part.log" | tail -1)"
				fi
			done < <(shuf "$runs")
			echo "round $round $((SECONDS - start)) s"
		done
		find "$work" -name '*.jsonl' -print0 | sort -z | xargs -0r cat >"$out/tune.jsonl"
		[ -s "$out/tune.jsonl" ] || { echo 'tune: nothing was measured; tune-*.log say why' && status=1; }
		;;
	*) echo "run.sh: unknown step $step: suite, sanitize, bench, lab, reports, profile, grade, tune" >&2; status=2 ;;
	esac
done
rm -rf "$icd"
tar -czf "$out/results.tar.gz" -C "$out" $(cd "$out" && ls *.log *.txt *.json *.jsonl *.md *.csv *.xml *.html 2>/dev/null)
exit $status
