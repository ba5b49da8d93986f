"""Finds processes by their command line, and kills some while a sort runs."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path


def below(ancestor: int) -> Iterator[tuple[int, str]]:
    """Yields the number and command line of each process that the ancestor started, or its children."""
    parents, lines = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                lines[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
    for number, line in lines.items():
        up = number
        while up in parents and up != ancestor:
            up = parents[up]
        if up == ancestor and number != ancestor:
            yield number, line


class Killer:
    """Kills a process that matches, now and then, while a block runs; killed counts them."""

    def __init__(self, matches: Callable[[int, str], bool], times: int, pause: float) -> None:
        self.killed = 0
        self._matches, self._times, self._pause = matches, times, pause
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while self.killed < self._times and not self._over.is_set():
            time.sleep(self._pause * (0.5 + self.killed % 3))
            for number, line in below(os.getpid()):
                if self._matches(number, line):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, signal.SIGKILL)
                        self.killed += 1
                    break


def cpu_seconds() -> float:
    """Returns the processor seconds of all that this process started, and of what those waited for."""
    ticks = 0
    for number, _ in below(os.getpid()):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += sum(map(int, words[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
