from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import absent
import pytest

absent.needs("hatchling", "no wheel is built")

PACKAGE = Path(__file__).parents[1]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the package's source, to build in."""
    copy = tmp_path / "package"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("tests", ".*", "bin", "__pycache__"))
    return copy


def build(source: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    clean = {name: value for name, value in os.environ.items() if name not in ("GOOS", "GOARCH")}
    return subprocess.run(command, cwd=source, env=clean | environment, capture_output=True, text=True, check=False)


def test_wheel_holds_the_program(source: Path, standin: str, tmp_path: Path) -> None:
    (source / "src/gpusort_cluster/bin").mkdir()
    shutil.copy(standin, source / "src/gpusort_cluster/bin/gpusort-cluster")
    done = build(source, GOOS="darwin", GOARCH="arm64")
    assert done.returncode == 0, done.stderr
    [wheel] = (source / "dist").glob("*.whl")
    assert wheel.name.endswith("-py3-none-macosx_12_0_arm64.whl")
    # As pip unpacks it, with the bits that say what may be run.
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            there = Path(archive.extract(member, tmp_path / "site"))
            there.chmod((member.external_attr >> 16) & 0o777)
    code = "from gpusort_cluster import binary; print(binary.find())"
    clean = {name: value for name, value in os.environ.items() if name != "GPUSORT_CLUSTER"}
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=clean | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == str(tmp_path / "site/gpusort_cluster/bin/gpusort-cluster")


def test_wheel_without_the_program_is_refused(source: Path) -> None:
    done = build(source)
    assert done.returncode != 0
    assert "say `make wheel`" in done.stderr
