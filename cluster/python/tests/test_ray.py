from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import absent
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data import RECORDS, by_city_and_latest, content, names, trips, write_records, write_trips
from processes import Killer

ray = absent.needs("ray", "nothing is sorted on Ray")

from gpusort_cluster import (
    BinaryMissingError,
    GpusortError,
    TaskDiedError,
    binary,
    ray_sort,
    ray_sort_dataset,
    steps,
)
from gpusort_cluster.job import Job
from gpusort_cluster.ray import WORKER_BYTES

SMALL = WORKER_BYTES + (64 << 20)


@pytest.fixture(scope="module", autouse=True)
def cluster(program: str) -> Iterator[None]:
    """Ray with two workers."""
    os.environ["GPUSORT_CLUSTER"] = program
    ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    yield
    ray.shutdown()


def test_records(tmp_path: Path) -> None:
    ordered = write_records(tmp_path, 50_000, 3)
    out = tmp_path / "out"
    manifest = ray_sort(f"{tmp_path}/records-*.bin", str(out), RECORDS, ranges=5, memory=SMALL)
    assert content(manifest) == ordered
    assert manifest.rows == 50_000
    assert names(out) == ["manifest.json", *(f"part-{number:05d}.bin" for number in range(5))]
    rows = [part.rows for part in manifest.parts]
    assert max(rows) <= 1.1 * sum(rows) / len(rows)


def test_tables_keep_ties_in_order(tmp_path: Path) -> None:
    table = write_trips(tmp_path, 20_000, 3)
    manifest = ray_sort(f"{tmp_path}/*.parquet", f"file://{tmp_path}/out/", "city,ts:desc", ranges=4, memory=SMALL)
    parts = [pq.read_table(part.url.removeprefix("file://")) for part in manifest.parts]
    assert [part.num_rows for part in parts] == [part.rows for part in manifest.parts]
    got = pa.concat_tables(parts)
    assert got["id"].to_pylist() == by_city_and_latest(table)
    assert got.sort_by("id").equals(table)


@pytest.mark.parametrize("victim", ["ray::run", "gpusort-cluster"])
def test_killed_at_ten_moments(tmp_path: Path, victim: str) -> None:
    ordered = write_records(tmp_path, 400_000, 4)
    out = tmp_path / "out"
    with Killer(lambda _, line: line.startswith(victim) or "bin/" + victim in line, 10, 0.05) as killer:
        while killer.killed < 10:
            manifest = ray_sort(
                f"{tmp_path}/records-*.bin", str(out), RECORDS, ranges=12, tasks=12, memory=SMALL, retries=20
            )
            assert content(manifest) == ordered
            assert len(names(out)) == 13


def test_each_task_runs_twice_at_a_time(tmp_path: Path, program: str) -> None:
    ordered = write_records(tmp_path, 20_000, 2)
    out = tmp_path / "out"
    job = Job.of(f"{tmp_path}/records-*.bin", str(out), RECORDS, ranges=3, tasks=2, memory=64 << 20)
    task = ray.remote(num_cpus=0.5)(binary.run)

    def twice(_: str, tasks: Sequence[list[str]]) -> list[bytes]:
        pairs = [(task.remote(args, program), task.remote(args, program)) for args in tasks]
        return [ray.get(pair)[0] for pair in map(list, pairs)]

    assert content(steps.sort(job, twice)) == ordered
    assert len(names(out)) == 4
    assert content(steps.sort(job, twice)) == ordered
    assert len(names(out)) == 4


def test_bad_input_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = str(tmp_path / "out")
    with pytest.raises(GpusortError, match="none-") as caught:
        ray_sort(f"{tmp_path}/none-*.bin", out, RECORDS, memory=SMALL)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, TaskDiedError)
    write_trips(tmp_path, 100, 1)
    pq.write_table(pa.table({"city": [1, 2]}), tmp_path / "trips-9.parquet")
    with pytest.raises(GpusortError, match=r"trips-9\.parquet") as caught:
        ray_sort(f"{tmp_path}/trips-*.parquet", out, "city", memory=SMALL)
    assert "\n" not in str(caught.value)
    with pytest.raises(BinaryMissingError, match="/nowhere is no program"):
        ray_sort(f"{tmp_path}/trips-0.parquet", out, "city", memory=SMALL, binary="/nowhere")
    with pytest.raises(GpusortError, match="no machine can hold a task of 1 CPU, 7 GPU"):
        ray_sort(f"{tmp_path}/trips-0.parquet", out, "city", memory=SMALL, num_gpus=7)


def test_datasets(tmp_path: Path) -> None:
    table = trips(10_000)
    blocks = [table.slice(i * 1250, 1250) for i in range(8)]
    got = ray_sort_dataset(ray.data.from_arrow(blocks), str(tmp_path / "out"), "city,ts:desc", ranges=3, memory=SMALL)
    ids = [row["id"] for row in got.take_all()]
    assert ids == by_city_and_latest(table)
    assert [name for name in names(tmp_path / "out") if name.startswith("_")] == []


def test_command(tmp_path: Path) -> None:
    ordered = write_records(tmp_path, 5_000, 2)
    args = ["ray", f"{tmp_path}/records-*.bin", "--record", "100", "-k", "0:10", "--ranges", "2", "-S", f"{SMALL}b"]
    code = (
        "import ray, sys; ray.init(num_cpus=2, include_dashboard=False, logging_level='ERROR')\n"
        "from gpusort_cluster.__main__ import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, *args, "-o", str(tmp_path / "out"), "-v"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "5000 rows in 2 objects" in done.stderr
    assert b"".join((tmp_path / "out" / f"part-{n:05d}.bin").read_bytes() for n in range(2)) == ordered
