"""Sorts files on Spark: each task of the sort is a Spark task in which gpusort-cluster does all input and output."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

import pyarrow as pa

from gpusort_cluster import binary as program
from gpusort_cluster import steps
from gpusort_cluster.engines import require
from gpusort_cluster.errors import EngineError, GpusortError, TaskDiedError, reason
from gpusort_cluster.job import DEFAULT_MEMORY, Job

require("pyspark")
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql.utils import is_remote  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from gpusort_cluster.manifest import Manifest
    from gpusort_cluster.order import Order

_ANSWER = pa.schema([("task", pa.int64()), ("printed", pa.binary()), ("failed", pa.string())])


def spark_sort_files(
    spark: SparkSession,
    inputs: str | Sequence[str],
    output: str,
    by: str | Sequence[str] | Order | None = None,
    *,
    ranges: int | None = None,
    range_size: int | str | None = None,
    tasks: int | None = None,
    memory: int | str = DEFAULT_MEMORY,
    temp: str | Sequence[str] | None = None,
    work: str | None = None,
    samples: int | None = None,
    workers: int = 1,
    binary: str | None = None,
) -> Manifest:
    """Sorts the files at inputs into objects below output and returns their manifest.

    inputs are URLs or paths, with * for any name; output is the URL of a folder. Each task's program takes memory
    bytes beside the executor's heap: spark.executor.memoryOverhead must hold memory times the slots of an executor.
    Spark tries a task again as spark.task.maxFailures says. The same call takes up what an earlier one left.
    """
    job = Job.of(
        inputs,
        output,
        by,
        ranges=ranges,
        range_size=range_size,
        tasks=tasks or partitions(spark.range(1 << 20)),  # as many as tasks run at a time
        memory=memory,
        temp=temp,
        work=work,
        samples=samples,
        workers=workers,
    )

    def run(step: str, tasks: Sequence[list[str]]) -> list[bytes]:
        return _on_executors(spark, tasks, binary)

    return steps.sort(job, run)


@contextlib.contextmanager
def session(master: str | None = None) -> Iterator[SparkSession]:
    """Gives a session for one sort; master is spark.master where neither spark-submit nor a configuration says it.

    Workers run the Python of this process, where the package is, unless PYSPARK_PYTHON names another.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("gpusort")
    spark = (builder.master(master) if master is not None else builder).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def partitions(df: DataFrame) -> int:
    """Returns how many partitions a DataFrame has, 1 at least."""
    if is_remote():
        raise EngineError("spark_sort: Spark Connect does not tell partitions: use a session in this process")
    return max(1, df.rdd.getNumPartitions())


def _on_executors(spark: SparkSession, tasks: Sequence[list[str]], binary: str | None) -> list[bytes]:
    """Runs each task in a partition of its own; what a retry cannot mend comes back as a value."""
    numbers = spark.range(0, len(tasks), 1, len(tasks))
    try:
        rows = numbers.mapInArrow(_runner(list(tasks), binary), "task long, printed binary, failed string").collect()
    except PySparkException as error:
        raise TaskDiedError(f"spark_sort_files: a task died again and again: {reason(error)}") from error
    for row in rows:
        if row["failed"] is not None:
            raise GpusortError(row["failed"])
    return [bytes(row["printed"]) for row in sorted(rows, key=lambda row: row["task"])]


def _runner(
    tasks: list[list[str]], binary: str | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def answers(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                printed, failed = b"", None
                try:
                    printed = program.run(tasks[number], binary)
                except TaskDiedError:
                    raise
                except GpusortError as error:
                    failed = str(error)
                yield pa.record_batch([[number], [printed], [failed]], schema=_ANSWER)

    return answers
