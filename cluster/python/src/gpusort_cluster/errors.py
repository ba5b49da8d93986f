"""Exceptions, each with one message that names the operation, the input and the remedy."""

import re

_RAISED = re.compile(r"[\w.]*(?:Error|Exception|Exit)\b: ?.*")


class GpusortError(RuntimeError):
    """A sort that cannot be done; doing it again would not help."""


class BinaryMissingError(GpusortError):
    """The program gpusort-cluster is not on this machine."""


class EngineError(GpusortError):
    """Ray or Spark is missing or too old."""


class TaskDiedError(GpusortError):
    """A task ended before its work was done, killed or left by its store; a retry may help."""


def reason(error: BaseException) -> str:
    """Returns the one line of an engine's error, a page of traces, that Python raised; else its first line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    raised = [line for line in lines if _RAISED.fullmatch(line)]
    return (raised[-1] if raised else lines[0]).strip()
