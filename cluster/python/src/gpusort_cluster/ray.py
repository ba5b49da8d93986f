"""Sorts files on Ray: each task of the sort is a Ray task that runs gpusort-cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tqdm.auto import tqdm

from gpusort_cluster import binary as program
from gpusort_cluster import steps
from gpusort_cluster.engines import require
from gpusort_cluster.errors import GpusortError, TaskDiedError, reason
from gpusort_cluster.job import DEFAULT_MEMORY, Job
from gpusort_cluster.size import size

require("ray")
import ray  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpusort_cluster.manifest import Manifest
    from gpusort_cluster.order import Order

# What a Ray worker, a Python process, takes beside the program that it runs.
WORKER_BYTES = 128 << 20


def ray_sort(
    inputs: str | Sequence[str],
    output: str,
    by: str | Sequence[str] | Order | None = None,
    *,
    ranges: int | None = None,
    range_size: int | str | None = None,
    tasks: int | None = None,
    memory: int | str = DEFAULT_MEMORY,
    num_cpus: float = 1,
    num_gpus: float = 0,
    temp: str | Sequence[str] | None = None,
    work: str | None = None,
    samples: int | None = None,
    retries: int = 4,
    progress: bool = True,
    binary: str | None = None,
) -> Manifest:
    """Sorts the files at inputs into objects below output and returns their manifest.

    inputs are URLs or paths, with * for any name; output is the URL of a folder. Each task takes memory bytes in all,
    num_cpus and num_gpus of Ray's resources, and is tried again up to retries times when it or its machine dies.
    The same call takes up what an earlier one left.
    """
    if not ray.is_initialized():
        ray.init()
    room = size(memory)
    job = Job.of(
        inputs,
        output,
        by,
        ranges=ranges,
        range_size=range_size,
        tasks=tasks or _slots(num_cpus, num_gpus, room),
        memory=room - WORKER_BYTES,
        temp=temp,
        work=work,
        samples=samples,
        workers=max(1, int(num_cpus)),
    )
    remote: Any = ray.remote(program.run)
    task = remote.options(
        num_cpus=num_cpus,
        num_gpus=num_gpus,
        memory=room,
        max_retries=retries,
        retry_exceptions=[TaskDiedError],
        scheduling_strategy="SPREAD",
    )

    def run(step: str, tasks: Sequence[list[str]]) -> list[bytes]:
        refs = [task.remote(args, binary) for args in tasks]
        return _gather(step, refs, progress)

    return steps.sort(job, run)


def _slots(num_cpus: float, num_gpus: float, memory: int) -> int:
    """Returns how many tasks the cluster runs at a time: the shares that inputs are split into."""
    have: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    needs = {"CPU": num_cpus, "GPU": num_gpus, "memory": memory}
    slots = int(min(have.get(name, 0) // need for name, need in needs.items() if need > 0))
    if slots < 1:
        asked = ", ".join(f"{need:g} {name}" for name, need in needs.items() if need > 0)
        there = ", ".join(f"{have.get(name, 0):g} {name}" for name, need in needs.items() if need > 0)
        raise GpusortError(f"ray_sort: no machine can hold a task of {asked} (the cluster has {there}): ask for less")
    return slots


def _gather(step: str, refs: list[Any], progress: bool) -> list[bytes]:
    """Waits for all tasks of a step; when one fails for good, the others are ended."""
    waiting = list(refs)
    try:
        with tqdm(total=len(refs), desc=f"gpusort {step}", disable=None if progress else True, leave=False) as bar:
            while waiting:
                ready, waiting = ray.wait(waiting, num_returns=1)
                ray.get(ready)
                bar.update(len(ready))
        return list(ray.get(refs))
    except BaseException as error:
        for ref in waiting:
            ray.cancel(ref, force=True)
        if isinstance(error, ray.exceptions.RayTaskError) and isinstance(error.cause, GpusortError):
            raise type(error.cause)(*error.cause.args) from None
        if isinstance(error, ray.exceptions.RayError):
            raise TaskDiedError(f"ray_sort: a task of step {step} died again and again: {reason(error)}") from error
        raise
