"""Exceptions, each with one message that names the operation, the input and the remedy."""


class GpusortError(RuntimeError):
    """A sort that cannot be done; doing it again would not help."""


class BinaryMissingError(GpusortError):
    """The program gpusort-cluster is not on this machine."""


class EngineError(GpusortError):
    """Ray or Spark is missing or too old."""


class TaskDiedError(GpusortError):
    """A task ended before its work was done, killed or left by its store; a retry may help."""
