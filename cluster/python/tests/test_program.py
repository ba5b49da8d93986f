"""The package's wrappers on the program itself, without an engine."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data import RECORDS, by_city_and_latest, content, trips, write_records, write_trips
from test_binary import gone

from gpusort_cluster import GpusortError, TaskDiedError, binary, steps
from gpusort_cluster.job import Job
from gpusort_cluster.stream import feed, stream


def test_each_task_twice_at_a_time(program: str, tmp_path: Path) -> None:
    table = write_trips(tmp_path, 4000, 3)
    job = Job.of(f"{tmp_path}/*.parquet", f"{tmp_path}/out", "city,ts:desc", ranges=3, tasks=2, memory="64M")

    def twice(_: str, tasks: Sequence[list[str]]) -> list[bytes]:
        twin = [threading.Thread(target=binary.run, args=(task, program)) for task in tasks]
        for thread in twin:
            thread.start()
        printed = [binary.run(task, program) for task in tasks]
        for thread in twin:
            thread.join()
        return printed

    for _ in range(2):
        manifest = steps.sort(job, twice)
        assert [path.name for path in sorted((tmp_path / "out").iterdir())] == [
            "manifest.json",
            *(f"part-{number:05d}.parquet" for number in range(3)),
        ]
        got = pa.concat_tables(pq.read_table(part.url) for part in manifest.parts)
        assert got["id"].to_pylist() == by_city_and_latest(table)


def test_given_up_sort_is_taken_up(program: str, tmp_path: Path) -> None:
    ordered = write_records(tmp_path, 20_000, 2)
    job = Job.of(f"{tmp_path}/*.bin", f"{tmp_path}/out", RECORDS, ranges=3, tasks=2, memory="64M")
    done = []

    def until_merge(step: str, tasks: Sequence[list[str]]) -> list[bytes]:
        if step == "merge":
            raise TaskDiedError("the machine was taken away")
        return [binary.run(task, program) for task in tasks]

    def again(step: str, tasks: Sequence[list[str]]) -> list[bytes]:
        printed = [binary.run(task, program) for task in tasks]
        done.extend(step for line in printed if b'"done_before":true' in line)
        return printed

    with pytest.raises(TaskDiedError):
        steps.sort(job, until_merge)
    manifest = steps.sort(job, again)
    assert done.count("split") == 2
    assert content(manifest) == ordered


def test_task_ends_with_its_worker(program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # A store that never answers keeps the task waiting.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    with socket.create_server(("127.0.0.1", 0)) as store:
        endpoint = f"http://127.0.0.1:{store.getsockname()[1]}"
        url = f"s3://bucket/in.txt?endpoint={endpoint}&use_path_style=true&region=us-west-2"
        args = ["sample", url, "-o", str(tmp_path / "sample.json")]
        code = f"from gpusort_cluster import binary; binary.run({args!r}, {program!r})"
        worker = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
        store.settimeout(60)
        connection, _ = store.accept()
        [task] = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        assert gone(int(task))
        connection.close()


def test_streams_split_one_heavy_key(program: str, tmp_path: Path) -> None:
    partitions = [trips(5000, seed) for seed in range(3)]
    args = ["--by", "2,3:desc"]
    for number, table in enumerate(partitions):
        sample = feed(["stream-sample", *args, "--file", str(number)], table.to_batches(700), program)
        (tmp_path / f"{number}.json").write_bytes(sample)
    cut = str(tmp_path / "cut.json")
    binary.run(["cut", *(str(tmp_path / f"{number}.json") for number in range(3)), "--ranges", "4", "-o", cut], program)
    places: list[tuple[int, int, int]] = []  # range, partition, row
    for number, table in enumerate(partitions):
        words = ["stream-range", *args, "--splitters", cut, "--file", str(number)]
        got = pa.Table.from_batches(stream(words, table.to_batches(700), program))
        assert got.select(range(table.num_columns)).to_pylist() == table.to_pylist()
        places += [(r, number, at) for at, r in enumerate(got.column(table.num_columns).to_pylist())]
    places.sort()
    sizes = [sum(place[0] == number for place in places) for number in range(4)]
    assert max(sizes) <= 1.1 * sum(sizes) / 4
    rows = [partitions[number].slice(at, 1) for _, number, at in places]
    ordered: list[int] = []
    at = 0
    whole = pa.concat_tables(partitions)
    whole = whole.set_column(0, "id", pa.array(range(whole.num_rows), pa.int64()))
    for length in sizes:
        part = pa.concat_tables(rows[at : at + length])
        numbers = [5000 * number + row for _, number, row in places[at : at + length]]
        part = part.set_column(0, "id", pa.array(numbers, pa.int64()))
        got = pa.Table.from_batches(stream(["stream-sort", *args, "-S", "64M"], part.to_batches(900), program))
        ordered += got["id"].to_pylist()
        at += length
    assert ordered == by_city_and_latest(whole)


def test_streams_say_what_is_wrong(program: str) -> None:
    with pytest.raises(GpusortError, match="town"):
        list(stream(["stream-sort", "--by", "town"], trips(10).to_batches(), program))
