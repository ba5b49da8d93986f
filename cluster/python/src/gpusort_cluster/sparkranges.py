"""Sorts DataFrames by keys that Spark compares as gpusort-cluster does: no row leaves Spark for that.

Spark's own sort reads all columns for its samples, leaves a heavy key in one range, and compares whole keys where the
first column ties. This one reads keys alone for samples, divides a heavy key by rows, and sorts by a column that tells
most rows of a range apart at once.
"""

from __future__ import annotations

import bisect
import itertools
import math
from typing import TYPE_CHECKING, Any

from gpusort_cluster.engines import require
from gpusort_cluster.sparkfiles import partitions

require("pyspark")
from pyspark.sql import functions as f  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from gpusort_cluster.sparkkeys import Key

    # The values of a row's keys, as they are carried, and the row's place in the input.
    Point = tuple[Any, ...]

# Columns that rows carry between the stages: their place in the input, the number of their range, and what they are
# sorted by first.
ROW, RANGE, CODE = "__gpusort_row", "__gpusort_range", "__gpusort_code"
# monotonically_increasing_id has the number of the row in the partition in these bits.
_ROW_BITS = 33
# So many samples of a range have its size within some 3 % of the mean.
_SAMPLES_A_RANGE = 500
# So many points divide a range into equal parts; the first is its border.
_POINTS = 16
_SEED = 1


def sort(df: DataFrame, keys: Sequence[Key], ranges: int, stable: bool) -> DataFrame:
    """Returns df in order, one partition a range."""
    points = _points(df, keys, ranges)
    rows = df.withColumn(ROW, f.monotonically_increasing_id())
    rows = _numbered(rows, keys, points) if points else rows.withColumn(RANGE, f.lit(0))
    orders = [key.order(key.value) for key in keys]
    if stable:
        # The shuffle brings rows in any order: their place in the input is their last key.
        orders.append(f.col(ROW).asc())
    common = _common(keys, points)
    if common:
        rows = rows.withColumn(CODE, _code(keys, points[_POINTS // 2 :: _POINTS], common))
        code = f.col(CODE)
        orders.insert(0, code.desc() if keys[common].descending else code.asc())
    # A column that the sort did without would be dropped before it: rows would be written once more.
    orders.append(f.col(RANGE).asc())
    return rows.repartitionById(ranges, f.col(RANGE)).sortWithinPartitions(*orders).drop(ROW, RANGE, CODE)


def _points(df: DataFrame, keys: Sequence[Key], ranges: int) -> list[Point]:
    """Returns rows that divide the frame into equal parts, _POINTS of them for each range; none if it has no rows.

    Row i of a partition becomes a sample with probability k / i, and stands for i / k rows then. So one pass gives
    samples as good as 2 k rows of equal probability, however many rows there are.
    """
    k = max(50, math.ceil(_SAMPLES_A_RANGE * ranges / partitions(df)))
    names = [str(place) for place in range(len(keys))]
    values = [key.value.alias(name) for name, key in zip(names, keys, strict=True)]
    rows = df.select(*values, f.monotonically_increasing_id().alias(ROW))
    number = f.col(ROW).bitwiseAND((1 << _ROW_BITS) - 1) + 1
    orders = [key.order(f.col(name)) for name, key in zip(names, keys, strict=True)]
    rows = rows.where(f.rand(_SEED) * number < k).repartition(1).sortWithinPartitions(*orders, ROW)
    carried = [f.col(name).cast(key.carried).alias(name) for name, key in zip(names, keys, strict=True)]
    samples = rows.select(*carried, ROW, f.greatest(number / k, f.lit(1.0)).alias("weight")).toArrow()
    if not samples.num_rows:
        return []
    ends = list(itertools.accumulate(samples.column("weight").to_pylist()))
    parts = ranges * _POINTS
    taken = [min(bisect.bisect_right(ends, ends[-1] * part / parts), len(ends) - 1) for part in range(parts)]
    return list(zip(*(column.to_pylist() for column in samples.select([*names, ROW]).take(taken).columns), strict=True))


def _numbered(rows: DataFrame, keys: Sequence[Key], points: Sequence[Point]) -> DataFrame:
    """Returns rows with the number of their range: how many splitters are not behind them, by binary search.

    Each step is a column of its own, for Spark would write out an expression as often as it is used in another.
    """
    splitters = points[_POINTS::_POINTS]
    columns = list(zip(keys, zip(*splitters, strict=True), strict=False))
    # Comparisons are made for each row: none of them asks for nulls where there are none.
    arrays = [(key, key.array(column), None in column) for key, column in columns]
    # Places count only among the rows of heavy keys. So where a row goes hangs on nothing but its keys otherwise.
    heavy = [_heavy(points, at) for at in range(_POINTS, len(points), _POINTS)]
    places = f.array(
        *(f.lit(point[-1] if split else -1).cast("bigint") for point, split in zip(splitters, heavy, strict=True))
    )
    rows = rows.withColumn(RANGE, f.lit(0))
    for bit in reversed(range(len(splitters).bit_length())):
        end = f.col(RANGE) + (1 << bit)
        behind = f.col(ROW) < f.get(places, end - 1) if any(heavy) else f.lit(False)
        for key, array, nulls in reversed(arrays):
            splitter = f.get(array, end - 1)
            same = key.value.eqNullSafe(splitter) if nulls else key.value == splitter
            behind = f.when(same, behind).otherwise(key.before(splitter, nulls))
        passed = f.when(end > len(splitters), False).otherwise(~behind)
        rows = rows.withColumn(RANGE, f.when(passed, end).otherwise(f.col(RANGE)))
    return rows


def _heavy(points: Sequence[Point], at: int) -> bool:
    """Tells whether the key of a splitter fills more than a part of a range."""
    near = points[at - 1 : at + 2]
    return any(near[i][:-1] == near[i + 1][:-1] for i in range(len(near) - 1))


def _common(keys: Sequence[Key], points: Sequence[Point]) -> int:
    """Returns how many of the first keys have one value in most of each range; 0 if the next one is of no use then."""
    for many in reversed(range(1, len(keys))):
        same = sum(
            point[:many] == points[at // _POINTS * _POINTS + _POINTS // 2][:many] for at, point in enumerate(points)
        )
        if keys[many].bounds is not None and 2 * same > len(points):
            return many
    return 0


def _code(keys: Sequence[Key], middles: Sequence[Point], common: int) -> Column:
    """Returns a column that is in the order of the rows of a range, where it does not tie.

    It is the first key that differs in most of the range; rows that differ in one before have the least or the most.
    """
    first = keys[common]
    before, same = f.lit(False), f.lit(True)
    for key, column in reversed(list(zip(keys[:common], zip(*middles, strict=True), strict=False))):
        middle = f.get(key.array(column), f.col(RANGE))
        before = key.before(middle) | (key.value.eqNullSafe(middle) & before)
        same = key.value.eqNullSafe(middle) & same
    code = f.coalesce(first.value, first.bound(first.nulls_first))
    return f.when(same, code).otherwise(f.when(before, first.bound(True)).otherwise(first.bound(False)))
