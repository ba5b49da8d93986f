"""Sends Arrow record batches through a task of gpusort-cluster."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import tempfile
import threading
from typing import TYPE_CHECKING

import pyarrow as pa

from gpusort_cluster import binary as program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PIPE_BYTES = 1 << 20


def stream(
    args: Sequence[str], batches: Iterable[pa.RecordBatch], binary: str | None = None
) -> Iterator[pa.RecordBatch]:
    """Yields the batches that the task writes for those that it reads; no batches in, none out."""
    with _fed(args, batches, binary) as task:
        if task is not None:
            with pa.ipc.open_stream(task.stdout) as reader:
                yield from reader


def feed(args: Sequence[str], batches: Iterable[pa.RecordBatch], binary: str | None = None) -> bytes:
    """Returns what the task prints for the batches that it reads; nothing for no batches."""
    with _fed(args, batches, binary) as task:
        if task is None or task.stdout is None:
            return b""
        return task.stdout.read()


@contextlib.contextmanager
def _fed(
    args: Sequence[str], batches: Iterable[pa.RecordBatch], binary: str | None
) -> Iterator[subprocess.Popen[bytes] | None]:
    """Gives a task that reads the batches to the block; at its end raises what went wrong, by the first cause.

    A thread of its own feeds the task, for a sort writes nothing before it has read all.
    """
    source = iter(batches)
    first = next(source, None)
    if first is None:
        yield None
        return
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [program.find(binary), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            bufsize=_PIPE_BYTES,
        )
        broken: Exception | None = None
        with program.ended(process) as task:
            feeder = _Feeder(task, itertools.chain([first], source), first.schema)
            feeder.start()
            try:
                yield task
            except (pa.ArrowInvalid, OSError) as error:  # a stream cut off: the task says why
                broken = error
                if task.stdout is not None:
                    task.stdout.close()  # what it still writes goes nowhere
            task.wait()
            feeder.join()
        if feeder.failed is not None:
            raise feeder.failed
        program.check(task, args, messages)
        if broken is not None:
            raise broken


class _Feeder(threading.Thread):
    """Writes batches to a task's standard input; failed is what the batches' own source raised."""

    def __init__(self, task: subprocess.Popen[bytes], batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> None:
        super().__init__(name="gpusort-feeder", daemon=True)
        self._task, self._batches, self._schema = task, batches, schema
        self.failed: BaseException | None = None

    def run(self) -> None:
        """Feeds until the source ends or fails, or the task has gone."""
        pipe = self._task.stdin
        assert pipe is not None  # noqa: S101  for mypy
        try:
            # A task that has gone breaks the pipe, and says why by its exit.
            with contextlib.suppress(BrokenPipeError):
                with pa.ipc.new_stream(pipe, self._schema) as writer:
                    for batch in self._batches:
                        writer.write_batch(batch)
                pipe.close()
        except BaseException as error:
            self.failed = error
            self._task.kill()
