"""NumPy's sort and stable argsort, for comparison with tools/cmd/cpubench.

    python3 numpy_sort.py [n ...]        (needs numpy from PyPI)
    python3 numpy_sort.py -serve

Prints medians of thread CPU time over five runs as a Markdown table. With
-serve it answers lines "keys|argsort type n copies" with the seconds that one
round over that many arrays of n uniform keys took, until its input ends.
"""

import statistics
import sys
import time

import numpy as np


def data(rng, name, n):
    if name == "u32":
        return rng.integers(0, 2**32, n, dtype=np.uint32)
    if name == "u64":
        return rng.integers(0, 2**64, n, dtype=np.uint64)
    if name == "f32":
        return rng.random(n, dtype=np.float32) * 2 - 1
    return rng.random(n) * 2 - 1


def sort(op, arrays):
    if op == "keys":
        arrays = [a.copy() for a in arrays]
    t = time.thread_time()
    for a in arrays:
        if op == "keys":
            a.sort()
        else:
            np.argsort(a, kind="stable")
    return time.thread_time() - t


def serve():
    print(np.__version__, flush=True)
    held, arrays = None, []
    for line in sys.stdin:
        op, name, n, copies = line.split()
        if held != (name, n):
            rng = np.random.default_rng(1)
            arrays = [data(rng, name, int(n)) for _ in range(int(copies))]
            held = (name, n)
        print(sort(op, arrays), flush=True)


def table(sizes):
    rng = np.random.default_rng(1)
    print("numpy", np.__version__)
    print("| type | n | sort M/s | stable argsort M/s |\n|---|---|---|---|")
    for n in sizes:
        for name in ("u32", "u64", "f32", "f64"):
            a = [data(rng, name, n)]
            s, g = (n / statistics.median(sort(op, a) for _ in range(5)) / 1e6 for op in ("keys", "argsort"))
            print(f"| {name} | {n:.0e} | {s:.0f} | {g:.1f} |")


if sys.argv[1:] == ["-serve"]:
    serve()
else:
    table([int(float(a)) for a in sys.argv[1:]] or [10**5, 10**6, 10**7])
