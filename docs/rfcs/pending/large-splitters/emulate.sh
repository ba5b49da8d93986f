#!/usr/bin/env bash
# Builds and runs emulated.cpp as internal/kernel/kerneltest does with the project's kernels.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$root"/kernels/cuda/. "$dir"
cp "$here"/*.cuh "$here"/emulated.cpp "$dir"
find "$dir" -name '*.c*' -exec sed -i 's/extern __shared__ uint4 dynamicShared\[\];/uint4* const dynamicShared = emulated::dynamic;/; s/__shared__/static/' {} +
printf 'SECTIONS\n{\n\tgs_shared (NOLOAD) : { gs_shared_begin = .; *(.bss._ZZN2gs*) *(.bss._ZZNK2gs*) gs_shared_end = .; }\n}\nINSERT BEFORE .bss;\n' >"$dir/shared.ld"
c++ -std=c++17 -O1 -w -fdata-sections -DGS_TARGET_SM_90 -I "$dir" -o "$dir/run" "$dir/emulated.cpp" "-Wl,-T,$dir/shared.ld"
"$dir/run"
