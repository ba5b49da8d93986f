#!/usr/bin/env bash
# test.sh BIN checks the package with the tools in BIN, builds its wheel, and runs it on Ray and on Spark.
set -eu
bin=$(realpath "$1")
cd "$(dirname "$0")"
"$bin/ruff" check -q .
"$bin/ruff" format -q --check .
"$bin/mypy"
root=$(realpath ../..)
mkdir -p "$root/build/cluster-bin"
(cd "$root" && CGO_ENABLED=0 ${GO:-go} build -trimpath -o build/cluster-bin/ ./cluster/cmd/gpusort-cluster)
if command -v java >/dev/null; then tests=(tests); else
	"$root/tools/skip.sh" java 'nothing is sorted on Spark'
	tests=(tests --ignore tests/test_spark.py)
fi
GPUSORT_CLUSTER=$root/build/cluster-bin/gpusort-cluster exec "$bin/python" -m pytest -q --durations 10 "${tests[@]}"
