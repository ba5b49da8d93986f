from __future__ import annotations

import os
import sys
from pathlib import Path

import absent
import pytest

HERE = Path(__file__).parent


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The program in Python that speaks the sub-commands."""
    path = tmp_path / "gpusort-cluster"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "standin.py"} "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("GPUSORT_CLUSTER", str(path))
    return str(path)


@pytest.fixture(scope="session")
def program() -> str:
    """The program itself, as `make build` makes it."""
    path = os.environ.get("GPUSORT_CLUSTER") or str(HERE.parents[2] / "bin" / "gpusort-cluster")
    if not os.access(path, os.X_OK):
        absent.skip("gpusort-cluster", "`make build` makes it")
    return path
