"""The order in which a sort's tasks run, for any engine that runs a list of tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gpusort_cluster.manifest import Manifest, line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpusort_cluster.job import Job


class Runner(Protocol):
    """Runs tasks on an engine."""

    def __call__(self, step: str, tasks: Sequence[list[str]]) -> list[bytes]:
        """Runs all tasks, in any order, and returns what each printed; raises the first failure for good."""


def sort(job: Job, run: Runner) -> Manifest:
    """Runs every step of a job and returns the final manifest.

    A step begins when the one before is whole. A step that was done by an earlier run is found done by its tasks.
    """
    run("sample", [job.sample()])
    [cut] = run("cut", [job.cut()])
    ranges = line(cut, "cut")["ranges"]
    run("split", [job.split(task) for task in range(job.tasks)])
    run("merge", [job.merge(number) for number in range(ranges)])
    [done] = run("finish", [job.finish()])
    manifest = Manifest.of(job.output, line(done, "finish"))
    run("clean", [job.clean()])
    return manifest
