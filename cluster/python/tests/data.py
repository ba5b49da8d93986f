"""Inputs of the engines' tests, and what they are in order."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from gpusort_cluster import Manifest, Order

RECORDS = Order(record=100, keys=("0:10",))  # the order of write_records
CITIES = ["Athens", "Montevideo", "Atlanta", "Moscow", "Zürich", "New York, NY"]


def trips(rows: int, seed: int = 1) -> pa.Table:
    """A table whose rows mostly share one city, with ties, nulls and a list."""
    draw = random.Random(seed)  # noqa: S311
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "city": [None if draw.random() < 0.02 else CITIES[max(0, draw.randrange(12) - 6)] for _ in range(rows)],
            "ts": pa.array(
                [1_780_000_000_000_000 + draw.randrange(rows) * 10**6 for _ in range(rows)], pa.timestamp("us")
            ),
            "price": [draw.lognormvariate(4, 1) for _ in range(rows)],
            "note": [f"note {draw.randrange(10**7)}" for _ in range(rows)],
            "tags": [[draw.randrange(10)] * draw.randrange(3) for _ in range(rows)],
        }
    )


def by_city_and_latest(table: pa.Table) -> list[int]:
    """The ids in the order of city,ts:desc: nulls last, ties as they come."""
    rows = zip(
        table["city"].to_pylist(), table["ts"].cast(pa.int64()).to_pylist(), table["id"].to_pylist(), strict=True
    )
    ordered = sorted(rows, key=lambda row: (row[0] is None, (row[0] or "").encode(), -row[1]))
    return [row[2] for row in ordered]


def write_trips(folder: Path, rows: int, files: int) -> pa.Table:
    """Writes a table to Parquet files, some of several row groups, and returns all of it."""
    table, share = trips(rows), rows // files
    for number in range(files):
        part = table.slice(number * share, share if number < files - 1 else None)
        pq.write_table(part, folder / f"trips-{number}.parquet", row_group_size=max(1, share // (1 + number % 3)))
    return table


def write_records(folder: Path, rows: int, files: int) -> bytes:
    """Writes records of 100 bytes, half of them with one key, and returns them in order of their first 10 bytes."""
    draw = random.Random(2)  # noqa: S311
    records = [(b"SAME KEY.." if i % 2 else draw.randbytes(10)) + b"%088d\r\n" % i for i in range(rows)]
    share = rows // files
    for number in range(files):
        end = (number + 1) * share if number < files - 1 else rows
        (folder / f"records-{number}.bin").write_bytes(b"".join(records[number * share : end]))
    return b"".join(sorted(records, key=lambda record: record[:10]))


def content(manifest: Manifest) -> bytes:
    """Returns what all objects hold, in order."""
    return b"".join(Path(part.url).read_bytes() for part in manifest.parts)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))
