"""Sorts DataFrames on Spark: by Spark's own expressions, or with gpusort-cluster, which cuts ranges and sorts each."""

from __future__ import annotations

import math
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from gpusort_cluster import binary as program
from gpusort_cluster.columns import ordered
from gpusort_cluster.engines import require
from gpusort_cluster.errors import GpusortError
from gpusort_cluster.job import DEFAULT_MEMORY, place
from gpusort_cluster.order import Order
from gpusort_cluster.size import size
from gpusort_cluster.sparkfiles import partitions
from gpusort_cluster.sparkkeys import key
from gpusort_cluster.sparkranges import CODE, RANGE, ROW, sort
from gpusort_cluster.stream import feed, stream

require("pyspark")
from pyspark import TaskContext  # noqa: E402
from pyspark.sql import functions as f  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    Batches = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

# So many samples of a range have its size within some 10 % of the mean.
_SAMPLES_A_RANGE = 1000


def spark_sort(
    df: DataFrame,
    by: str | Sequence[str] | Order,
    *,
    ranges: int | None = None,
    stable: bool = True,
    memory: int | str = DEFAULT_MEMORY,
    temp: str | Sequence[str] | None = None,
    workers: int = 1,
    binary: str | None = None,
) -> DataFrame:
    """Returns df sorted by columns ("city,ts:desc"): one partition a range, in order; rows that tie keep theirs.

    The keys are read once now, for samples; rows move when the result is used. ranges is the number of partitions,
    spark.sql.shuffle.partitions by default. With stable=False rows that tie come in any order, as Spark's own sort has
    them.

    Spark sorts the ranges itself if it orders all keys as the program does. For others, floating-point numbers and
    strings with a collation, the program does, and each task's program takes memory bytes beside the executor's heap:
    spark.executor.memoryOverhead must hold memory times the slots of an executor.
    """
    order = Order.of(by)
    if order.by is None:
        raise GpusortError("spark_sort: name columns: by='city,ts:desc'")
    for name in (ROW, RANGE, CODE):
        if name in df.columns:
            raise GpusortError(f"spark_sort: the DataFrame has a column {name} of its own: rename it")
    columns = ordered(order.by, df.columns)
    if ranges is None:
        ranges = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    if ranges < 1:
        raise GpusortError(f"spark_sort: ranges={ranges} must be 1 or more")

    limits = place(size(memory), workers, (temp,) if isinstance(temp, str) else temp or ())
    keys = [f.col(_quoted(df.columns[column.number])) for column in columns]
    if set(order.letters) <= {"r"}:
        words = ("r" in order.letters, order.nulls == "first")
        types = [df.schema[column.number].dataType for column in columns]
        native = [key(at, of, column.options, *words) for at, of, column in zip(keys, types, columns, strict=True)]
        if None not in native:
            return sort(df, [known for known in native if known], ranges, stable)

    # In a frame of keys alone, columns are known by their place in it.
    of_keys = _flags(order, [f"{place + 1}{column.options}" for place, column in enumerate(columns)])
    splitters = _splitters(df.select(*keys), ranges, of_keys, binary)
    with warnings.catch_warnings():  # type hints would differ for one key and for several
        warnings.simplefilter("ignore")
        iterators: Any = f.ArrowUDFType.SCALAR_ITER  # type: ignore[attr-defined]
        number: Any = f.arrow_udf(_numbers(splitters, of_keys, binary), "int", iterators)  # type: ignore[attr-defined]

    by_number = [f"{column.number + 1}{column.options}" for column in columns]
    rows = df.withColumn(RANGE, number(*keys))
    if stable:
        # The shuffle brings rows in any order: their place in the input is their last key.
        rows = rows.withColumn(ROW, f.monotonically_increasing_id())
        by_number.append(f"{len(df.columns) + 1}:asc")
    sorter = _sorter(["stream-sort", *_flags(order, by_number), *limits], len(df.columns), binary)
    return rows.repartitionById(ranges, f.col(RANGE)).drop(RANGE).mapInArrow(sorter, df.schema)


def _flags(order: Order, columns: Sequence[str]) -> list[str]:
    return Order(by=",".join(columns), nulls=order.nulls, nan=order.nan, letters=order.letters).flags()


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _splitters(keys: DataFrame, ranges: int, flags: list[str], binary: str | None) -> bytes:
    """Returns the borders of ranges, from a sample of each partition's keys."""
    samples = max(100, math.ceil(_SAMPLES_A_RANGE * ranges / partitions(keys)))
    args = ["stream-sample", *flags, "--samples", str(samples)]

    def sample(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        printed = feed([*args, "--file", _partition()], batches, binary)
        if printed:
            yield pa.record_batch([pa.array([printed], pa.binary())], ["sample"])

    found = keys.mapInArrow(sample, "sample binary").collect()
    if not found:
        return b""
    with tempfile.TemporaryDirectory(prefix="gpusort-") as folder:
        names = []
        for i, row in enumerate(found):
            path = Path(folder, f"{i}.json")
            path.write_bytes(row["sample"])
            names.append(str(path))
        into = Path(folder, "splitters.json")
        program.run_again(["cut", *names, "--ranges", str(ranges), "-o", str(into)], binary)
        return into.read_bytes()


def _numbers(
    splitters: bytes, flags: list[str], binary: str | None
) -> Callable[[Iterator[tuple[pa.Array, ...]]], Iterator[pa.Array]]:
    """Returns a function from the arrays of keys to the numbers of their ranges, array by array."""

    def numbers(arrays: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        # Of one column Spark gives the arrays themselves.
        columns = (keys if isinstance(keys, tuple) else (keys,) for keys in arrays)
        batches = (pa.record_batch(list(keys), [str(place) for place in range(len(keys))]) for keys in columns)
        with tempfile.NamedTemporaryFile(prefix="gpusort-") as file:
            file.write(splitters)
            file.flush()
            args = ["stream-range", *flags, "--splitters", file.name, "--file", _partition()]
            for batch in stream(args, batches, binary):
                yield batch.column(batch.num_columns - 1)

    return numbers


def _partition() -> str:
    context = TaskContext.get()
    return str(context.partitionId() if context is not None else 0)


def _sorter(args: list[str], columns: int, binary: str | None) -> Batches:
    def sort(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in stream(args, batches, binary):
            yield batch.select(range(columns))

    return sort
