from __future__ import annotations

import pytest

from gpusort_cluster.columns import Column, ordered
from gpusort_cluster.errors import GpusortError
from gpusort_cluster.job import Job
from gpusort_cluster.order import Order
from gpusort_cluster.size import size
from gpusort_cluster.url import join


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [(7, 7), ("512", 512), ("512b", 512), ("1K", 1024), ("64M", 64 << 20), ("1.5GiB", 3 << 29), (" 2 tb ", 2 << 40)],
)
def test_sizes(given: int | str, bytes_: int) -> None:
    assert size(given) == bytes_


@pytest.mark.parametrize("given", ["", "M", "1X", "-1", "1 000", 0, -5, "0"])
def test_sizes_that_are_none(given: int | str) -> None:
    with pytest.raises(GpusortError, match="size"):
        size(given)


def test_flags_of_an_order() -> None:
    assert Order.of(["city", "ts:desc"]).flags() == ["--by", "city,ts:desc"]
    lines = Order(keys=("2,2n", "1,1"), separator=",", format="lines")
    assert lines.flags() == ["-k", "2,2n", "-k", "1,1", "-t", ",", "--format", "lines"]
    assert Order(record=100, keys=("0:10",), letters="r").flags() == ["-r", "-k", "0:10", "--record", "100"]
    with pytest.raises(GpusortError, match="-x is none of -r, -n"):
        Order(letters="rx")
    assert Order.of(None).flags() == []
    with pytest.raises(GpusortError, match="names no column"):
        Order.of([])


NAMES = ["city", "a,b", 'say "x"', "3", "ts", "ts2", "twice", "twice"]


@pytest.mark.parametrize(
    ("by", "columns"),
    [
        ("city", [Column(0, "")]),
        ("city,ts:desc:first", [Column(0, ""), Column(4, ":desc:first")]),
        ('"a,b":desc, ts2', [Column(1, ":desc"), Column(5, "")]),
        ('"say ""x""","3"', [Column(2, ""), Column(3, "")]),
        ("3", [Column(2, "")]),
        ('ts:date="%d:%m,%Y",city', [Column(4, ':date="%d:%m,%Y"'), Column(0, "")]),
    ],
)
def test_columns(by: str, columns: list[Column]) -> None:
    assert ordered(by, NAMES) == columns


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("town", "no column 'town': the table has 'city'"),
        ("9", "no column 9: the table has 8"),
        ("twice", "several columns 'twice'"),
        ("city,", "ends without a column"),
        ('"city', "not of the form"),
        (",city", "not of the form"),
    ],
)
def test_columns_that_are_none(by: str, message: str) -> None:
    with pytest.raises(GpusortError, match=message):
        ordered(by, NAMES)


def test_jobs_that_cannot_be() -> None:
    for message, options in {
        "give one of them": {"ranges": 2, "range_size": "1G"},
        "ranges=0 must be 1": {"ranges": 0},
        "tasks=-1 must be 1": {"tasks": -1},
        "too little": {"memory": "1M"},
    }.items():
        with pytest.raises(GpusortError, match=message):
            Job.of("in/*", "out", "a", **({"tasks": 2} | options))  # type: ignore[arg-type]
    with pytest.raises(GpusortError, match="no inputs"):
        Job.of([], "out", "a", tasks=2)


@pytest.mark.parametrize(
    ("folder", "whole"),
    [
        ("out", "out/a"),
        ("out//", "out/a"),
        ("s3://b", "s3://b/a"),
        ("s3://b/out/?region=x&use_path_style=true", "s3://b/out/a?region=x&use_path_style=true"),
        ("/what?/out", "/what?/out/a"),
    ],
)
def test_names_in_folders(folder: str, whole: str) -> None:
    assert join(folder, "a") == whole
