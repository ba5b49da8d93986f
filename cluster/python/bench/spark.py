"""spark.py FILE ROUNDS: sorts Parquet by city, ts: Spark itself, spark_sort and spark_sort_files."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from processes import cpu_seconds

from gpusort_cluster import spark_sort, spark_sort_files


def main(source: str, rounds: int, out: str = "build/bench-spark") -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    builder = builder.config("spark.sql.shuffle.partitions", "8").config("spark.sql.parquet.compression.codec", "zstd")
    spark = builder.getOrCreate()
    df = spark.read.parquet(source)

    def files() -> None:
        shutil.rmtree(f"{out}/files", ignore_errors=True)
        spark_sort_files(spark, source, f"{out}/files", "city,ts", ranges=8, memory="512M")

    def frame() -> None:
        spark_sort(df, "city,ts", ranges=8, memory="512M").write.mode("overwrite").parquet(f"{out}/frame")

    def own() -> None:
        df.orderBy("city", "ts").write.mode("overwrite").parquet(f"{out}/own")

    kinds: dict[str, Callable[[], None]] = {"orderBy": own, "spark_sort": frame, "spark_sort_files": files}
    for number in range(rounds):
        for name, sort in kinds.items():
            cpu, wall = cpu_seconds(), time.monotonic()
            sort()
            print(f"{number} {name:17} wall {time.monotonic() - wall:7.2f} cpu {cpu_seconds() - cpu:7.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
