"""NumPy's sort and stable argsort, for comparison with tools/cmd/cpubench.

    python3 numpy_sort.py [n ...]        (needs numpy from PyPI)

Prints medians of thread CPU time over five runs as a Markdown table.
"""

import statistics
import sys
import time

import numpy as np


def rate(n, make, sort):
    times = []
    for _ in range(5):
        x = make()
        t = time.thread_time()
        sort(x)
        times.append(time.thread_time() - t)
    return n / statistics.median(times) / 1e6


def main():
    rng = np.random.default_rng(1)
    print("numpy", np.__version__)
    print("| type | n | sort M/s | stable argsort M/s |\n|---|---|---|---|")
    for n in [int(float(a)) for a in sys.argv[1:]] or [10**5, 10**6, 10**7]:
        for name, data in {
            "u32": rng.integers(0, 2**32, n, dtype=np.uint32),
            "u64": rng.integers(0, 2**64, n, dtype=np.uint64),
            "f32": rng.random(n, dtype=np.float32),
            "f64": rng.random(n),
        }.items():
            s = rate(n, data.copy, lambda x: x.sort())
            a = rate(n, lambda: data, lambda x: np.argsort(x, kind="stable"))
            print(f"| {name} | {n:.0e} | {s:.0f} | {a:.1f} |")


main()
