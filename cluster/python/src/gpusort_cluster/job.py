"""One sort as its tasks, each the arguments of gpusort-cluster; engines decide where and when they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpusort_cluster.errors import GpusortError
from gpusort_cluster.order import Order
from gpusort_cluster.size import size
from gpusort_cluster.url import join

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_MEMORY = "1G"
_SMALLEST_MEMORY = 64 << 20


def place(memory: int, workers: int, temp: Sequence[str]) -> list[str]:
    """Returns the flags that say what a task may take of its machine."""
    flags = ["-S", f"{memory}b", "--workers", str(workers)]
    for folder in temp:
        flags += ["-T", folder]
    return flags


@dataclass(frozen=True)
class Job:
    """A sort of inputs into ranges objects below output; every task may run twice, on any machine."""

    inputs: tuple[str, ...]
    output: str
    work: str  # the folder of what only the tasks need
    order: Order
    ranges: int | None
    range_size: str | None
    tasks: int
    memory: int  # bytes that one task's program may take
    workers: int  # goroutines of one task
    temp: tuple[str, ...] = ()  # folders of each machine
    samples: int | None = None

    @classmethod
    def of(
        cls,
        inputs: str | Sequence[str],
        output: str,
        by: str | Sequence[str] | Order | None = None,
        *,
        ranges: int | None = None,
        range_size: int | str | None = None,
        tasks: int,
        memory: int | str = DEFAULT_MEMORY,
        workers: int = 1,
        temp: str | Sequence[str] | None = None,
        work: str | None = None,
        samples: int | None = None,
    ) -> Job:
        """Checks what a caller gave, before anything runs."""
        urls = (inputs,) if isinstance(inputs, str) else tuple(inputs)
        if not urls:
            raise GpusortError("sort: no inputs: give URLs or paths, such as 's3://bucket/*.parquet'")
        if ranges is not None and range_size is not None:
            raise GpusortError("sort: ranges and range_size both say how many objects to write: give one of them")
        for name, number in (("ranges", ranges), ("tasks", tasks)):
            if number is not None and number < 1:
                raise GpusortError(f"sort: {name}={number} must be 1 or more")
        room = size(memory)
        if room < _SMALLEST_MEMORY:
            raise GpusortError(f"sort: memory={memory} is too little for a task: give 64M or more")
        return cls(
            inputs=urls,
            output=join(output, ""),
            work=join(output, "_work/") if work is None else join(work, ""),
            order=Order.of(by),
            ranges=ranges,
            range_size=None if range_size is None else f"{size(range_size)}b",
            tasks=tasks,
            memory=room,
            workers=workers,
            temp=(temp,) if isinstance(temp, str) else tuple(temp or ()),
            samples=samples,
        )

    def _place(self) -> list[str]:
        return place(self.memory, self.workers, self.temp)

    @property
    def _splitters(self) -> str:
        return join(self.work, "splitters.json")

    def sample(self) -> list[str]:
        """Returns the task that samples all inputs."""
        how = [] if self.samples is None else ["--samples", str(self.samples)]
        return ["sample", *self.inputs, *self.order.flags(), *how, "-o", join(self.work, "sample.json")]

    def cut(self) -> list[str]:
        """Returns the task that cuts ranges."""
        how: list[str] = []
        if self.ranges is not None:
            how = ["--ranges", str(self.ranges)]
        elif self.range_size is not None:
            how = ["--range-size", self.range_size]
        return ["cut", join(self.work, "sample.json"), *how, "-o", self._splitters]

    def split(self, task: int) -> list[str]:
        """Returns the task that sorts a share of the inputs, range by range."""
        share = ["--task", str(task), "--of", str(self.tasks)]
        return ["split", "--splitters", self._splitters, *share, "-o", self.work, *self._place()]

    def merge(self, number: int) -> list[str]:
        """Returns the task that merges one range of all splits into its object."""
        share = ["--range", str(number), "--of", str(self.tasks)]
        return ["merge", "--splitters", self._splitters, *share, "-o", self.output, self.work, *self._place()]

    def finish(self) -> list[str]:
        """Returns the task that writes the final manifest."""
        return ["finish", "--splitters", self._splitters, "--of", str(self.tasks), "-o", self.output, self.work]

    def clean(self) -> list[str]:
        """Returns the task that removes what only the tasks needed."""
        return ["clean", self.work, self.output]
