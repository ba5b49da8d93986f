"""The columns of `--by`, found in a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gpusort_cluster.errors import GpusortError

if TYPE_CHECKING:
    from collections.abc import Sequence

# A column is a name, in double quotes if it holds commas or colons, and its options, some with a quoted value.
_COLUMN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",:]+?))\s*((?::(?:[^",]|"(?:[^"]|"")*")*)?)(?:,|$)')


class Column(NamedTuple):
    """A key: the place of its column in the table, from 0, and its options as they were written, ":desc"."""

    number: int
    options: str


def ordered(by: str, names: Sequence[str]) -> list[Column]:
    """Returns the columns that by names in a table with columns of these names."""
    columns: list[Column] = []
    at = 0
    while at < len(by):
        match = _COLUMN.match(by, at)
        if match is None or match.end() == at:
            raise GpusortError(f"sort: by={by!r} is not of the form 'city,ts:desc' at {by[at:]!r}")
        quoted, plain, options = match.groups()
        columns.append(Column(_place(quoted, plain, names), options))
        at = match.end()
    if not columns or by.endswith(","):
        raise GpusortError(f"sort: by={by!r} ends without a column: give 'city,ts:desc'")
    return columns


def _place(quoted: str | None, plain: str | None, names: Sequence[str]) -> int:
    name = quoted.replace('""', '"') if quoted is not None else plain or ""
    if quoted is None and name.isdigit():
        if not 1 <= int(name) <= len(names):
            raise GpusortError(f"sort: there is no column {name}: the table has {len(names)}")
        return int(name) - 1
    found = [i for i, other in enumerate(names) if other == name]
    if len(found) != 1:
        how = "there is no column" if not found else "there are several columns"
        raise GpusortError(f"sort: {how} {name!r}: the table has {', '.join(map(repr, names))}")
    return found[0]
