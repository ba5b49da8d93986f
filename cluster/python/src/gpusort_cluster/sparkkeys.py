"""Keys that Spark compares as gpusort-cluster does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gpusort_cluster.engines import require

require("pyspark")
from pyspark.sql import functions as f  # noqa: E402
from pyspark.sql import types as t  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column

_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
# Microseconds from 1970 in 64 bits reach as far.
_FIRST, _LAST = "-290308-12-21T19:59:05.224192", "+294247-01-10T04:00:54.775807"


class Key(NamedTuple):
    """A key of the order. Values go to the driver and come back as another type, without a time zone's rules."""

    value: Column  # in the order of the column: of dates and timestamps the integers that they are
    type: str  # of value
    carried: str  # of value at the driver
    bounds: tuple[Any, Any] | None  # the least value and the most, as they are carried; None: there are none
    descending: bool
    nulls_first: bool

    def order(self, column: Column) -> Column:
        """Returns the order of a column of values."""
        if self.descending:
            return column.desc_nulls_first() if self.nulls_first else column.desc_nulls_last()
        return column.asc_nulls_first() if self.nulls_first else column.asc_nulls_last()

    def array(self, carried: Iterable[Any]) -> Column:
        """Returns an array of values."""
        return f.array(*map(f.lit, carried)).cast(f"array<{self.carried}>").cast(f"array<{self.type}>")

    def bound(self, first: bool) -> Column:
        """Returns the value that nothing but nulls comes before, or behind."""
        assert self.bounds is not None  # noqa: S101  for mypy
        return f.lit(self.bounds[first == self.descending]).cast(self.type)

    def before(self, other: Column, nulls: bool = True) -> Column:
        """Tells rows whose value comes before another value; nulls: that one may be null."""
        less = self.value > other if self.descending else self.value < other
        if not nulls:
            return f.coalesce(less, f.lit(self.nulls_first))
        this, that = self.value.isNull(), other.isNull()
        if self.nulls_first:
            return f.when(that, False).when(this, True).otherwise(less)
        return f.when(this, False).when(that, True).otherwise(less)


def key(column: Column, of: t.DataType, options: str, descending: bool, nulls_first: bool) -> Key | None:
    """Returns the key that a column with options of `--by` is, or None if Spark orders its values in another way.

    Spark has one NaN, behind all numbers, and one zero; strings with a collation are not ordered by bytes.
    """
    words = {word.strip() for word in options.split(":")[1:]}
    if words - {"asc", "desc", "first", "last"} or {"asc", "desc"} <= words or {"first", "last"} <= words:
        return None  # the program says what is wrong
    descending = "desc" in words or (descending and "asc" not in words)
    nulls_first = "first" in words or (nulls_first and "last" not in words)
    found = _value(column, of)
    return Key(*found, descending, nulls_first) if found else None


def _value(column: Column, of: t.DataType) -> tuple[Column, str, str, tuple[Any, Any] | None] | None:
    name = of.simpleString()
    if name in _BITS:
        return column, name, name, _integers(_BITS[name])
    if isinstance(of, t.BooleanType):
        return column, name, name, (False, True)
    if isinstance(of, t.DateType):
        return f.unix_date(column), "int", "int", _integers(_BITS["int"])
    if isinstance(of, t.TimestampType):
        return f.unix_micros(column), "bigint", "bigint", _integers(_BITS["bigint"])
    if isinstance(of, t.TimestampNTZType):
        return column, name, "string", (_FIRST, _LAST)
    if isinstance(of, t.DecimalType):
        return column, name, "string", None
    if of in (t.StringType(), t.BinaryType()):
        return column, name, "binary", None
    return None


def _integers(bits: int) -> tuple[int, int]:
    return -(1 << bits), (1 << bits) - 1
