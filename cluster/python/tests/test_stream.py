from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pyarrow as pa
import pytest

from gpusort_cluster.errors import GpusortError
from gpusort_cluster.stream import feed, stream


def batches(many: int, rows: int = 1000) -> Iterator[pa.RecordBatch]:
    for number in range(many):
        yield pa.record_batch({"a": [(i * 7919 + number) % 1009 for i in range(rows)]})


def test_stream_sorts_more_than_a_pipe_holds(standin: str) -> None:
    got = pa.Table.from_batches(stream(["stream-sort"], batches(100)))
    assert got.num_rows == 100_000
    assert got.equals(pa.Table.from_batches(batches(100)).sort_by("a"))


def test_no_batches_start_nothing() -> None:
    assert list(stream(["stream-sort"], iter(()), "/nowhere")) == []
    assert feed(["stream-sample"], iter(()), "/nowhere") == b""


def test_feed_returns_what_is_printed(standin: str) -> None:
    assert json.loads(feed(["stream-sample"], batches(3)))["rows"] == 3000


def test_task_that_fails_early_says_why(standin: str) -> None:
    with pytest.raises(GpusortError, match=r"gpusort-cluster stream-sort: stream-sort: there is no column x"):
        list(stream(["stream-sort", "fail"], batches(100)))


def test_error_of_the_source_comes_through(standin: str) -> None:
    def broken() -> Iterator[pa.RecordBatch]:
        yield from batches(3)
        raise KeyError("the source")

    with pytest.raises(KeyError, match="the source"):
        list(stream(["stream-sort"], broken()))


def test_stream_that_is_given_up_ends_its_task(standin: str) -> None:
    started = time.monotonic()
    rows = stream(["stream-sort"], batches(30))
    next(rows)
    rows.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 30
