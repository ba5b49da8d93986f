"""ray.py GPUSORT FILES…: sorts records by `gpusort sort` and by two workers of ray_sort, in turns."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1] / "tests")
import ray
from processes import below, cpu_seconds

from gpusort_cluster import Order, ray_sort

BUDGET = 512 << 20


def proportional(number: int) -> int:
    """Returns a process's memory in bytes, shared pages by its share."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    return 0


class Peak(threading.Thread):
    """Looks at the memory of all tasks ten times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes, self.over = 0, threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.1):
            tasks = [number for number, line in below(os.getpid()) if "ray::run" in line or "gpusort-cluster" in line]
            self.bytes = max(self.bytes, sum(map(proportional, tasks)))


def main(gpusort: str, files: list[str], out: str = "build/bench-ray") -> None:
    ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, logging_level="ERROR")
    Path(out).mkdir(parents=True, exist_ok=True)
    command = [gpusort, "sort", "--record", "100", "--key", "0:10", "-S", "1G", *files, "-o", f"{out}/one.bin"]
    for number in range(3):
        wall, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - wall
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{number} gpusort sort wall {wall:7.2f} cpu {cpu:7.2f}", flush=True)
        shutil.rmtree(f"{out}/objects", ignore_errors=True)
        peak = Peak()
        peak.start()
        wall, cpu = time.monotonic(), cpu_seconds()
        order = Order(record=100, keys=("0:10",))
        ray_sort(files, f"{out}/objects", order, ranges=4, tasks=2, memory=BUDGET, progress=False)
        wall, cpu = time.monotonic() - wall, cpu_seconds() - cpu
        peak.over.set()
        print(f"{number} ray_sort     wall {wall:7.2f} cpu {cpu:7.2f} peak {peak.bytes >> 20} MiB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
