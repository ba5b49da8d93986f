#!/usr/bin/env bash
# test.sh BIN checks the package with the tools in BIN and runs it, with the program of the newest wheel, on both engines.
set -eu
bin=$(realpath "$1")
cd "$(dirname "$0")"
root=$(realpath ../..)
"$bin/ruff" check -q .
"$bin/ruff" format -q --check .
"$bin/mypy"
wheel=$(ls -t "$root"/build/wheel/*.whl | head -1)
rm -rf "$root/build/cluster-wheel"
"$bin/python" -m zipfile -e "$wheel" "$root/build/cluster-wheel"
export GPUSORT_CLUSTER=$root/build/cluster-wheel/gpusort_cluster/bin/gpusort-cluster
chmod +x "$GPUSORT_CLUSTER"
exec "$bin/python" -m pytest -q --durations 10
