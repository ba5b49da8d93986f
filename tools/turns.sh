#!/usr/bin/env bash
# Builds of this project beside each other on one machine, in turns.
#   tools/turns.sh pack before=../before after=.   here: bundle-turns/, a command of each checkout
#   bundle-turns/turns.sh run RESULTS [ROUNDS]     there: RESULTS/NAME.jsonl of each
# Checkouts are named from the project's folder, where it is called.
# Then: gpusort compare RESULTS/before.jsonl RESULTS/after.jsonl. On a busy machine that takes
# 4 ROUNDS or more.
# CELLS is a file of arguments of 'gpusort bench', a line a set of cells; without
# it the sorts of one launch: skewed inputs that have been cliffs, beside uniform ones.
set -eu

# A record's samples end after 7 or 15 ms: a set of cells costs a second.
limits='--device=cuda:0 --warm-up=1 --min-samples=6 --max-samples=7 --timeout=15ms'
dists='uniform,entropy-0.544,entropy-0.201,msd-skew,random-p5,few-distinct,zipf,exponential,two-values'
cells() {
	if [ -n "${CELLS:-}" ]; then
		cat "$CELLS"
		return
	fi
	cat <<-END
		--axis=KeyT=[u64,f64] --axis=Dist=[$dists] --axis=Elements[pow2]=[8,10,12,14,16,17,18,20]
		--axis=KeyT=[u32,f32] --axis=Dist=[$dists] --axis=Elements[pow2]=[8,10,12,14,16,17,18,20]
		--axis=Mode=pairs --axis=KeyT=u64 --axis=ValueT=[u32,u64] --axis=Dist=[$dists] --axis=Elements[pow2]=[8,10,12,14,16,17,18]
		--axis=Mode=pairs --axis=KeyT=u32 --axis=ValueT=u32 --axis=Dist=[$dists] --axis=Elements[pow2]=[10,12,14,16,17,18,20]
		--axis=Mode=argsort --axis=KeyT=[u32,u64] --axis=Dist=[$dists] --axis=Elements[pow2]=[14,16,18,20]
	END
}

case ${1:-} in
pack)
	shift
	for build in "$@"; do
		if [ "${build#?*=}" = "$build" ] || [ ! -d "${build#*=}/cmd/gpusort" ]; then
			echo "turns.sh: $build is not NAME=CHECKOUT of this project" >&2
			exit 2
		fi
	done
	[ $# -gt 0 ] || { echo 'turns.sh: name builds to pack: NAME=CHECKOUT…' >&2; exit 2; }
	cd "$(dirname "$0")/.."
	rm -rf bundle-turns
	mkdir bundle-turns
	for build in "$@"; do
		(cd "${build#*=}" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$OLDPWD/bundle-turns/${build%%=*}.gpusort" ./cmd/gpusort)
	done
	cp tools/turns.sh bundle-turns/
	[ -z "${CELLS:-}" ] || cp "$CELLS" bundle-turns/cells.txt
	# Builds differ in little: together they are hardly larger than one.
	tar -C bundle-turns -c . | xz -T2 --block-size=400MiB --lzma2=preset=3,dict=128MiB >bundle-turns.tar.xz
	du -h bundle-turns.tar.xz
	;;
run)
	out=${2:?usage: turns.sh run RESULTS [ROUNDS]}
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	cd "$(dirname "$0")"
	[ ! -f cells.txt ] || export CELLS=cells.txt
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	part=$dir/part.jsonl
	for round in $(seq 1 "${3:-1}"); do
		cells | while read -r set; do
			case $set in *axis=Algo=*) ;; *) set="--axis=Algo=auto $set" ;; esac
			for build in *.gpusort; do
				# shellcheck disable=SC2086
				./"$build" bench $limits $set --json="$part" >/dev/null || echo "$build: $set: $?" >&2
				[ ! -f "$part" ] || cat "$part" >>"$out/${build%.gpusort}.jsonl"
				rm -f "$part"
			done
		done
		echo "round $round of ${3:-1}"
	done
	;;
*)
	sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
