from __future__ import annotations

import copy
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import absent
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data import by_city_and_latest, write_trips

yaml = absent.needs("yaml", "the Jobs of Kubernetes are not read")
kubernetes_validate = absent.needs("kubernetes_validate", "the Jobs of Kubernetes meet no schema")

FOLDER = Path(__file__).parents[2] / "kubernetes"
ORDER = ("settings", "plan", "split", "merge", "finish")
VERSION = "1.33"  # the first with all that these Jobs use


def documents() -> dict[str, dict[str, Any]]:
    return {name: yaml.safe_load((FOLDER / f"{name}.yaml").read_text()) for name in ORDER}


def containers(job: dict[str, Any]) -> list[dict[str, Any]]:
    pod = job["spec"]["template"]["spec"]
    return [*pod.get("initContainers", []), *pod["containers"]]


@pytest.mark.parametrize("name", ORDER)
def test_schema(name: str) -> None:
    kubernetes_validate.validate(documents()[name], VERSION, strict=True)


@pytest.mark.parametrize("wrong", ["completion", "parallelism"])
def test_schema_finds_faults(wrong: str) -> None:
    job = copy.deepcopy(documents()["split"])
    job["spec"][wrong] = "many"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, VERSION, strict=True)


def test_numbers_agree() -> None:
    files = documents()
    settings = files["settings"]["data"]
    assert files["split"]["spec"]["completions"] == int(settings["TASKS"])
    assert files["merge"]["spec"]["completions"] == int(settings["RANGES"])
    room = {"G": 1 << 30, "Mi": 1 << 20}
    memory = int(settings["MEMORY"][:-1]) * room["G"]
    for job in (files["split"], files["merge"]):
        limit = containers(job)[0]["resources"]["limits"]["memory"]
        assert int(limit[:-2]) * room["Mi"] >= 1.17 * memory


def with_values(word: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\((\w+)\)", lambda match: values[match[1]], word)


def commands(files: dict[str, dict[str, Any]], settings: dict[str, str]) -> Iterator[list[str]]:
    """Yields the arguments that the pods would get, in the order in which the documentation runs the jobs."""
    for name in ORDER[1:]:
        job = files[name]["spec"]
        for index in range(job.get("completions", 1)):
            values = settings | {"JOB_COMPLETION_INDEX": str(index)}
            for container in containers(files[name]):
                yield [with_values(word, values) for word in container["args"]]


def test_arguments_sort(program: str, tmp_path: Path) -> None:
    files = documents()
    table = write_trips(tmp_path, 3000, 2)
    bucket, settings = "s3://BUCKET", dict(files["settings"]["data"])
    settings = {key: value.replace(bucket, str(tmp_path)) for key, value in settings.items()}
    settings |= {"INPUTS": f"{tmp_path}/*.parquet", "BY": "city,ts:desc", "MEMORY": "64M", "TASKS": "3", "RANGES": "4"}
    files["split"]["spec"]["completions"], files["merge"]["spec"]["completions"] = 3, 4
    for words in commands(files, settings):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.stderr)
    parts = sorted((tmp_path / "out").glob("part-*.parquet"))
    assert len(parts) == 4
    assert pa.concat_tables(map(pq.read_table, parts))["id"].to_pylist() == by_city_and_latest(table)
    assert not list((tmp_path / "out").glob("_work/*"))
