from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import absent
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data import RECORDS, by_city_and_latest, content, names, write_records, write_trips
from processes import Killer

absent.needs("pyspark", "nothing is sorted on Spark")
if shutil.which("java") is None:
    absent.skip("java", "nothing is sorted on Spark")

from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from gpusort_cluster import GpusortError, Order, TaskDiedError, spark_sort, spark_sort_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SMALL = "64M"


@pytest.fixture(scope="module")
def spark(program: str) -> Iterator[SparkSession]:
    """Spark with two slots, where a task may fail twenty times."""
    os.environ["GPUSORT_CLUSTER"] = program
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2, 20]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", "1g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def ids(df: DataFrame) -> list[int]:
    return [row["id"] for row in df.select("id").collect()]


def test_files(spark: SparkSession, tmp_path: Path) -> None:
    ordered = write_records(tmp_path, 50_000, 3)
    out = tmp_path / "out"
    manifest = spark_sort_files(spark, f"{tmp_path}/records-*.bin", str(out), RECORDS, ranges=5, memory=SMALL)
    assert content(manifest) == ordered
    assert names(out) == ["manifest.json", *(f"part-{number:05d}.bin" for number in range(5))]


def is_worker(number: int, line: str) -> bool:
    """Tells Python workers, which the daemon forks, from the daemon itself."""
    if "pyspark.daemon" not in line:
        return False
    with contextlib.suppress(OSError):
        parent = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[1]
        return b"pyspark.daemon" in Path(f"/proc/{parent}/cmdline").read_bytes()
    return False


VICTIMS = {"worker": is_worker, "program": lambda _, line: "bin/gpusort-cluster" in line}


@pytest.mark.parametrize("victim", VICTIMS)
def test_files_killed_at_ten_moments(spark: SparkSession, tmp_path: Path, victim: str) -> None:
    ordered = write_records(tmp_path, 400_000, 4)
    out = tmp_path / "out"
    with Killer(VICTIMS[victim], 10, 0.05) as killer:
        while killer.killed < 10:
            manifest = spark_sort_files(
                spark, f"{tmp_path}/records-*.bin", str(out), RECORDS, ranges=12, tasks=12, memory=SMALL
            )
            assert content(manifest) == ordered
            assert len(names(out)) == 13


def test_frames_keep_ties_in_order(spark: SparkSession, tmp_path: Path) -> None:
    table = write_trips(tmp_path, 20_000, 3)
    df = spark.read.parquet(*sorted(map(str, tmp_path.glob("*.parquet"))))
    # The order that Spark itself gives the rows: large files first.
    table = table.take([row["id"] for row in df.select("id").collect()])
    got = spark_sort(df, "city,ts:desc", ranges=4, memory=SMALL)
    assert got.schema == df.schema
    assert ids(got) == by_city_and_latest(table)
    sizes = [row["count"] for row in got.groupBy(f.spark_partition_id()).count().collect()]
    assert len(sizes) == 4
    assert max(sizes) <= 1.1 * sum(sizes) / len(sizes)
    assert sorted(map(str, got.collect())) == sorted(map(str, df.collect()))


# Floating-point keys are for the program: Spark has one NaN and one zero.
@pytest.mark.parametrize("kind", ["bigint", "double"])
def test_frames_by_one_key_with_half_of_the_rows(spark: SparkSession, kind: str) -> None:
    key = f.when(f.col("id") % 2 == 0, 7).otherwise(f.xxhash64("id") % 10**12)
    df = spark.range(40_000).withColumn("key", key.cast(kind))
    got = spark_sort(df, "key:desc", ranges=8, memory=SMALL)
    rows = [(row["key"], row["id"], row["p"]) for row in got.withColumn("p", f.spark_partition_id()).collect()]
    assert [row[:2] for row in rows] == sorted((row[:2] for row in rows), key=lambda row: (-row[0], row[1]))
    sizes = [sum(row[2] == number for row in rows) for number in range(8)]
    assert max(sizes) <= 1.1 * sum(sizes) / len(sizes)


@pytest.mark.parametrize("victim", VICTIMS)
def test_frames_killed_at_ten_moments(spark: SparkSession, victim: str) -> None:
    df = spark.range(0, 300_000, 1, 8).withColumn("key", (f.xxhash64("id") % 1000).cast("double"))
    with Killer(VICTIMS[victim], 10, 0.1) as killer:
        while killer.killed < 10:
            rows = [(row["key"], row["id"]) for row in spark_sort(df, "key", ranges=12, memory=SMALL).collect()]
            assert len(rows) == 300_000
            assert rows == sorted(rows)


def test_frames_of_tasks_that_fail(spark: SparkSession) -> None:
    def flaky(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0 and context.partitionId() % 2 == 0:
            raise OSError("a task that fails")

    source = spark.range(0, 20_000, 1, 4).mapInArrow(flaky, "id bigint")
    df = source.withColumn("key", f.when(f.col("id") % 3 > 0, 7).otherwise(f.xxhash64("id") % 100))
    got = spark_sort(df, "key", ranges=5)
    for _ in range(2):
        rows = [(row["key"], row["id"]) for row in got.collect()]
        assert len(rows) == 20_000
        assert rows == sorted(rows)


# Columns of values that Spark and the program compare, as SQL of x, from 0 to 18, some more often than others.
KINDS = {
    "boolean": "x > 9",
    "tinyint": "array(-128, -1, 0, 127)[x % 4]",
    "smallint": "array(-32768, -1, 0, 32767)[x % 4]",
    "int": "array(-2147483648, 1, 2147483647)[x % 3]",
    "bigint": "array(-9223372036854775808, x, 9223372036854775807)[x % 3]",
    "date": "array(date'0001-01-01', date'1969-12-31', date'2026-11-28', date'9999-12-31')[x % 4]",
    # Five half hours about the end of summer time, of which two have one name.
    "timestamp": "timestamp_micros((1793509200 + x % 5 * 1800) * 1000000L - x % 2)",
    "timestamp_ntz": "array('-290308-12-21T19:59:05.224192', '2026-11-01', '+294247-01-10T04:00:54.775807')[x % 3]",
    "decimal(9,2)": "array(-1234567.89, -0.01, 0, 7.5)[x % 4]",
    "decimal(38,0)": "array(-9, 0, 9)[x % 3] * 11111111111111111111111111111111111111BD",
    "string": "array('', 'a', 'a\\0', 'a\\0b', 'Z', 'é', '\U0001f600', '\uffee')[x % 8]",
    "binary": "array(X'', X'00', X'7F', X'80FF', X'80')[x % 5]",
}


def test_frames_in_the_order_of_the_program(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        x = spark.range(0, 600, 1, 3).selectExpr("id", "pmod(xxhash64(id), 19) as x")
        values = [f"if(x % 7 = 6, null, cast({sql} as {kind})) as `{kind}`" for kind, sql in KINDS.items()]
        df = x.selectExpr("id", "if(id % 5 = 0, null, id % 3) as part", *values).cache()
        options = ["", ":desc", ":first", ":desc:first"]
        for place, kind in enumerate(KINDS):
            option, part = options[place % 4], options[(place // 4 + place + 1) % 4]
            # Behind another column the values are what rows are sorted by first.
            for by in (f'"{kind}"{option}', f'part{part},"{kind}"{options[place % 4 - 2]}'):
                with monkeypatch.context() as patch:
                    patch.setattr("gpusort_cluster.spark._splitters", None)
                    got = ids(spark_sort(df, by, ranges=3))
                with monkeypatch.context() as patch:
                    patch.setattr("gpusort_cluster.spark.key", lambda *_: None)
                    assert got == ids(spark_sort(df, by, ranges=3, memory=SMALL)), by
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone or "UTC")


def test_frames_of_few_rows(spark: SparkSession) -> None:
    for kind in ("bigint", "double"):
        df = spark.range(0).withColumn("key", f.col("id").cast(kind))
        assert spark_sort(df, "key", ranges=3, memory=SMALL).collect() == []
        df = spark.range(5).withColumn("key", f.col("id").cast(kind))
        for ranges, stable in ((1, True), (3, False), (33, True)):
            got = spark_sort(df, "key:desc", ranges=ranges, memory=SMALL, stable=stable)
            assert ids(got) == [4, 3, 2, 1, 0]
            assert got.rdd.getNumPartitions() == ranges
        got = spark_sort(df, Order(by="2", letters="r"), ranges=2, memory=SMALL)
        assert ids(got) == [4, 3, 2, 1, 0]


def test_frames_in_many_ranges(spark: SparkSession) -> None:
    df = spark.range(30_000).withColumn("key", -f.col("id"))
    rows = [
        (row["id"], row["p"])
        for row in spark_sort(df, "key", ranges=30).select("id", f.spark_partition_id().alias("p")).collect()
    ]
    assert [row[0] for row in rows] == list(range(29_999, -1, -1))
    sizes = [sum(row[1] == number for row in rows) for number in range(30)]
    assert max(sizes) <= 1.2 * sum(sizes) / len(sizes)


def test_bad_input_is_one_message(spark: SparkSession, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    with pytest.raises(GpusortError, match="none-") as caught:
        spark_sort_files(spark, f"{tmp_path}/none-*.bin", out, RECORDS, memory=SMALL)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, TaskDiedError)
    write_trips(tmp_path, 100, 1)
    pq.write_table(pa.table({"city": [1, 2]}), tmp_path / "trips-9.parquet")
    with pytest.raises(GpusortError, match=r"trips-9\.parquet"):
        spark_sort_files(spark, f"{tmp_path}/trips-*.parquet", out, "city", memory=SMALL)
    with pytest.raises(GpusortError, match="/nowhere is no program"):
        spark_sort_files(spark, f"{tmp_path}/trips-0.parquet", out, "city", memory=SMALL, binary="/nowhere")
    with pytest.raises(GpusortError, match="no column 'town': the table has 'id'"):
        spark_sort(spark.range(3), "town")
    with pytest.raises(GpusortError, match="name columns"):
        spark_sort(spark.range(3), Order(keys=("1,1",)))
    with pytest.raises(GpusortError, match="rename it"):
        spark_sort(spark.range(3).withColumnRenamed("id", "__gpusort_row"), "1")


def test_command(tmp_path: Path, program: str) -> None:
    ordered = write_records(tmp_path, 5_000, 2)
    args = ["spark", f"{tmp_path}/records-*.bin", "--record", "100", "--key", "0:10", "--ranges", "2", "-S", SMALL]
    done = subprocess.run(
        [sys.executable, "-m", "gpusort_cluster", *args, "--master", "local[2]", "-o", str(tmp_path / "out"), "-v"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"GPUSORT_CLUSTER": program},
    )
    assert done.returncode == 0, done.stderr
    assert "5000 rows in 2 objects" in done.stderr
    assert b"".join((tmp_path / "out" / f"part-{n:05d}.bin").read_bytes() for n in range(2)) == ordered
