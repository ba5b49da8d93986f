#!/usr/bin/env bash
# Makes pages and figures from what the bundle's run.sh brought back:
#   tools/pages.sh RESULTS [NAME]
# RESULTS is its folder, or results.tar.gz. NAME (default: the card's) begins the
# names of the data. Writes build/pages/NAME-EXPERIMENT.html (pages are megabytes:
# they stay out of the repository), the reports' figures below
# docs/benchmarks/figures, data/*.jsonl.gz, NAME-cub.md (what the library chooses
# against CUB, if that was measured), and NAME-pages.md, which lists them with the
# command of each.
set -eu
cd "$(dirname "$0")/.."
results=${1:?usage: make pages RESULTS=folder, or RESULTS=results.tar.gz}
if [ -f "$results" ]; then
	unpacked=$(mktemp -d)
	trap 'rm -rf "$unpacked"' EXIT
	tar -xzf "$results" -C "$unpacked"
	results=$unpacked
fi
gpusort=${GPUSORT:-bin/gpusort}
docs=${DOCS:-docs/benchmarks}
pages=build/pages
mkdir -p "$docs/data" "$docs/figures" "$pages"
slug() { tr 'A-Z' 'a-z' | sed 's/nvidia//; s/[^a-z0-9]\{1,\}/-/g; s/^-//; s/-$//'; }
card=$(cat "$results"/*.jsonl | grep -o '"device":"[^"]*"' | sort | uniq -c | sort -rn | head -1 | cut -d'"' -f4 | slug)
name=${2:-${card:-here}}
list=$docs/$name-pages.md
declare -A title
for t in experiments/*.toml; do title[$(basename "$t" .toml)]=$(sed -n 's/^title = "\(.*\)"$/\1/p' "$t" | head -1); done

{
	echo "# Pages of the lab: $name"
	echo
	echo '`gpusort report FILE -o page.html` makes each page of its raw results: one file that opens from disk.'
	echo
	echo '| page | cells | figures | command |'
	echo '|---|---|---|---|'
} >"$list"
for file in "$results"/*.jsonl; do
	experiment=$(basename "$file" .jsonl)
	[ "$experiment" != tune ] || continue # variants, which are no results of this commit
	grep -q '"status":"ok"' "$file" || { echo "$experiment: no measured cell, no page"; continue; }
	# Steps and animations belong to the pages whose algorithms they are of.
	more=()
	for extra in "$results"/profile-*.json "$results"/steps-*.json; do
		[ -s "$extra" ] || continue
		algo=$(basename "$extra" .json)
		[ "$algo:$experiment" != profile-host:russian ] || more+=("$extra")
		! grep -q "\"algo\":\"${algo#*-}\"" "$file" || more+=("$extra")
	done
	gzip -9nc "$file" >"$docs/data/$name-$experiment.jsonl.gz"
	# What cub-*.toml add to cub.toml is judged in NAME-cub.md; thousands of cells
	# make large pages, which anybody can make of the data.
	case $experiment in cub-*) continue ;; esac
	page=$pages/$name-$experiment.html
	"$gpusort" report "$file" "${more[@]}" -o "$page" --title "${title[$experiment]:-$experiment}"
	figures=
	for figure in $("$gpusort" report "$file" --figure list | grep -E "^$experiment-[0-9]" || true); do
		"$gpusort" report "$file" --figure "$figure" -o "$docs/figures/$name-$figure.svg"
		number=${figure#"$experiment"-}
		figures="$figures [${number%%-*}](figures/$name-$figure.svg)"
	done
	cells=$(grep -c '"status":"ok"' "$file")
	command=$(grep -o '"command":"[^"]*"' "$file" | tail -1 | cut -d'"' -f4)
	echo "| [${title[$experiment]:-$experiment}](data/$name-$experiment.jsonl.gz) | $cells |${figures:- –} | \`$command\` |" >>"$list"
done
for page in "$results"/grade-*.html; do
	[ ! -s "$page" ] || cp "$page" "$pages/$name-$(basename "$page")"
done
# What the library chooses against CUB: all files that have both.
grid=()
for file in "$results"/cub*.jsonl; do
	[ -s "$file" ] && grep -q '"status":"ok"' "$file" && grep -q '"algo":"auto"' "$file" && grep -q '"algo":"cub-radix' "$file" || continue
	grid+=("$docs/data/$name-$(basename "$file").gz")
done
if [ ${#grid[@]} -gt 0 ]; then
	peers=$(zgrep -hoE '"algo":"cub-radix(-db)?(-n64)?"' "${grid[@]}" | cut -d'"' -f4 | sort -u | paste -sd,)
	"$gpusort" report "${grid[@]}" --of auto --against "$peers" -o "$docs/$name-cub.md" &&
		echo "| [The library's choice against CUB]($name-cub.md) | – | – | \`gpusort report --against $peers\` |" >>"$list"
fi
# The picture for the README: the widest comparison there is.
for pick in 'english english-1' 'cub throughput-u32-keys-uniform-kernel' 'demo throughput-u32-keys-uniform-kernel'; do
	set -- $pick
	[ -s "$results/$1.jsonl" ] || continue
	"$gpusort" report "$results/$1.jsonl" --figure "$2" -o "$docs/figures/$name-picture.png" --scale 2 && break
done
cat "$list"
