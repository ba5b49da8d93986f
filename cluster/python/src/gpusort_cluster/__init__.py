"""Sorts files and tables past one machine: gpusort on Ray and on Spark.

Ray and Spark are imported when their functions are, so that each works without the other.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gpusort_cluster.errors import BinaryMissingError, EngineError, GpusortError, TaskDiedError
from gpusort_cluster.manifest import Manifest, Part
from gpusort_cluster.order import Order

if TYPE_CHECKING:
    from gpusort_cluster.ray import ray_sort
    from gpusort_cluster.raydata import ray_sort_dataset
    from gpusort_cluster.spark import spark_sort
    from gpusort_cluster.sparkfiles import spark_sort_files

__all__ = [
    "BinaryMissingError",
    "EngineError",
    "GpusortError",
    "Manifest",
    "Order",
    "Part",
    "TaskDiedError",
    "ray_sort",
    "ray_sort_dataset",
    "spark_sort",
    "spark_sort_files",
]

_HOMES = {"ray_sort": "ray", "ray_sort_dataset": "raydata", "spark_sort": "spark", "spark_sort_files": "sparkfiles"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
