"""Finds the program gpusort-cluster and runs its tasks, so that none outlives the process that asked for it."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING

from gpusort_cluster.errors import BinaryMissingError, GpusortError, TaskDiedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NAME = "gpusort-cluster"
VARIABLE = "GPUSORT_CLUSTER"
_BAD_INPUT = 3  # the exit code of what another try cannot mend
_GRACE_SECONDS = 10.0


def find(binary: str | None = None) -> str:
    """Returns the program's path: binary, or $GPUSORT_CLUSTER, or the wheel's own, or that on the PATH.

    Each machine finds its own: call it where the task runs.
    """
    named = binary or os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK):
            raise BinaryMissingError(
                f"{named} is no program: give the path of {NAME}, as `make build` makes it in bin/"
            )
        return named
    own = Path(__file__).parent / "bin" / (NAME + (".exe" if os.name == "nt" else ""))
    if os.access(own, os.X_OK):
        return str(own)
    found = shutil.which(NAME)
    if found is None:
        raise BinaryMissingError(
            f"{NAME} is neither in this package nor on the PATH of {platform.node()}: "
            f"install a wheel of gpusort-cluster, or set {VARIABLE} to the program's path"
        )
    return found


def run(args: Sequence[str], binary: str | None = None) -> bytes:
    """Runs one task to its end and returns what it printed.

    The task holds the reading end of a pipe and ends when the writing end closes, however this process ends.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        environment = os.environ | {"GPUSORT_CLUSTER_STDIN": "lease"}
        with ended(
            subprocess.Popen([find(binary), *args], stdin=subprocess.PIPE, stdout=out, stderr=messages, env=environment)
        ) as task:
            task.wait()
        check(task, args, messages)
        out.seek(0)
        return out.read()


def run_again(args: Sequence[str], binary: str | None = None, tries: int = 4) -> bytes:
    """Runs one task, which no engine would try again, up to as many times as tries says until it does not die."""
    while True:
        tries -= 1
        try:
            return run(args, binary)
        except TaskDiedError:
            if tries < 1:
                raise


@contextlib.contextmanager
def ended(task: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Gives the task to the block, and has it ended when the block is left in any way."""
    try:
        yield task
    finally:
        if task.poll() is None:
            task.terminate()
            try:
                task.wait(_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                task.kill()
                task.wait()
        for pipe in (task.stdin, task.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def check(task: subprocess.Popen[bytes], args: Sequence[str], messages: IO[bytes]) -> None:
    """Raises what the exit code of a task that has ended means, with its last message."""
    if task.returncode == 0:
        return
    messages.seek(0)
    lines = messages.read().decode(errors="replace").strip().splitlines()
    said = lines[-1].removeprefix(f"{NAME}: ") if lines else "it gave no reason"
    name = f"{NAME} {args[0]}"
    if task.returncode == _BAD_INPUT:
        raise GpusortError(f"{name}: {said}")
    if task.returncode < 0:
        raise TaskDiedError(f"{name} was ended by {signal.Signals(-task.returncode).name}: {said}")
    raise TaskDiedError(f"{name} failed with code {task.returncode}: {said}")
