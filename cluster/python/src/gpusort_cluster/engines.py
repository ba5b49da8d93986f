"""Says whether an engine is there and new enough, with the command that installs it."""

from __future__ import annotations

import importlib.metadata
import re

from gpusort_cluster.errors import EngineError

OLDEST = {"ray": (2, 40), "pyspark": (4, 1)}
_EXTRA = {"ray": "ray", "pyspark": "spark"}


def require(package: str) -> None:
    """Raises EngineError unless the package is installed in a version that this one works with."""
    oldest = OLDEST[package]
    wanted = ".".join(map(str, oldest))
    remedy = f"say `pip install 'gpusort-cluster[{_EXTRA[package]}]'`"
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise EngineError(f"{package} is not installed: {remedy}") from None
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[: len(oldest)])
    if numbers < oldest:
        raise EngineError(f"{package} {version} is too old: {wanted} or later is needed; {remedy}")
