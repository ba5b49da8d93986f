"""The order of rows, in the words of `gpusort sort`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpusort_cluster.errors import GpusortError

# The one-letter flags of lines and records, with their long names.
LETTERS = {
    "r": "reverse",
    "n": "numeric-sort",
    "g": "general-numeric-sort",
    "h": "human-numeric-sort",
    "M": "month-sort",
    "V": "version-sort",
    "b": "ignore-leading-blanks",
    "d": "dictionary-order",
    "f": "ignore-case",
    "i": "ignore-nonprinting",
    "s": "stable",
    "z": "zero-terminated",
}


@dataclass(frozen=True)
class Order:
    """What rows are sorted by and how they are written; each field is a flag of `gpusort sort`.

    Tables take by ("city,ts:desc"), lines keys ("2,2n",) and separator, records record and keys ("0:10",).
    letters are one-letter flags: "rn" is -r -n.
    """

    by: str | None = None
    keys: tuple[str, ...] = ()
    separator: str | None = None
    letters: str = ""
    record: int | None = None
    format: str | None = None
    header: int | None = None
    nulls: str | None = None
    nan: str | None = None
    compression: str | None = None
    row_group: int | None = None

    def __post_init__(self) -> None:
        """Refuses what is no flag."""
        for letter in self.letters:
            if letter not in LETTERS:
                raise GpusortError(f"sort: letters={self.letters!r}: -{letter} is none of -{', -'.join(LETTERS)}")

    @classmethod
    def of(cls, by: str | Sequence[str] | Order | None) -> Order:
        """Returns by as an order: columns with commas between, a list of columns, or an order already."""
        if by is None:
            return cls()
        if isinstance(by, Order):
            return by
        text = by if isinstance(by, str) else ",".join(by)
        if not text.strip(", "):
            raise GpusortError("sort: by names no column: give by='city,ts:desc', or nothing to sort whole lines")
        return cls(by=text)

    def flags(self) -> list[str]:
        """Returns the order as flags of gpusort-cluster."""
        flags = [f"-{letter}" for letter in self.letters]
        for key in self.keys:
            flags += ["-k", key]
        for name, value in (
            ("--by", self.by),
            ("-t", self.separator),
            ("--record", self.record),
            ("--format", self.format),
            ("--header", self.header),
            ("--nulls", self.nulls),
            ("--nan", self.nan),
            ("--compression", self.compression),
            ("--row-group", self.row_group),
        ):
            if value is not None:
                flags += [name, str(value)]
        return flags
