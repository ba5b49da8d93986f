from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gpusort_cluster import binary, steps
from gpusort_cluster.errors import GpusortError
from gpusort_cluster.job import Job
from gpusort_cluster.manifest import Manifest, line


def test_steps_sort(standin: str, tmp_path: Path) -> None:
    rows = [f"{(i * 7919) % 1009:05d}\n" for i in range(1000)]
    for number in range(4):
        (tmp_path / f"in-{number}.txt").write_text("".join(rows[number::4]))
    job = Job.of(str(tmp_path / "in-*.txt"), str(tmp_path / "out"), ranges=3, tasks=2)
    seen: list[str] = []

    def twice(step: str, tasks: Sequence[list[str]]) -> list[bytes]:
        seen.append(step)
        return [binary.run(task) for task in [*tasks, *tasks]][: len(tasks)]

    manifest = steps.sort(job, twice)
    assert seen == ["sample", "cut", "split", "merge", "finish", "clean"]
    assert manifest.rows == 1000
    assert len(manifest.parts) == 3
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "manifest.json",
        *(f"part-{number:05d}.txt" for number in range(3)),
    ]
    assert "".join(Path(part.url).read_text() for part in manifest.parts) == "".join(sorted(rows))


def test_no_match_is_one_message(standin: str, tmp_path: Path) -> None:
    job = Job.of(str(tmp_path / "none-*"), str(tmp_path / "out"), ranges=3, tasks=2)
    with pytest.raises(GpusortError, match=r"no file matches .*none-\*: check the name"):
        steps.sort(job, lambda _, tasks: [binary.run(task) for task in tasks])


@pytest.mark.parametrize("printed", [b"", b"[]", b"{}", b'{"ranges": "2"}', b"{", b"\xff"])
def test_lines_of_another_form(printed: bytes) -> None:
    with pytest.raises(GpusortError, match="install package and program of the same version"):
        line(printed, "cut")
    with pytest.raises(GpusortError, match="install package and program of the same version"):
        Manifest.of("out/", {"objects": [{"object": "part-00000.txt"}]})
