from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

from gpusort_cluster import engines
from gpusort_cluster.__main__ import _order, _parser
from gpusort_cluster.errors import EngineError, reason


@pytest.mark.parametrize(("package", "version"), [("ray", "2.9.3"), ("pyspark", "3.5.4"), ("pyspark", "4.0.2.dev1")])
def test_too_old(monkeypatch: pytest.MonkeyPatch, package: str, version: str) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: version)
    with pytest.raises(EngineError, match=rf"^{package} {version} is too old: .* or later is needed; say `pip install"):
        engines.require(package)


@pytest.mark.parametrize("version", ["2.40.0", "2.100.1", "3.0.0rc1"])
def test_new_enough(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: version)
    engines.require("ray")


def test_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(EngineError, match=r"pyspark is not installed: say `pip install 'gpusort-cluster\[spark\]'`"):
        engines.require("pyspark")


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_command_says_what_is_missing(engine: str) -> None:
    code = (
        "import importlib.metadata as m, sys\n"
        "def version(name): raise m.PackageNotFoundError(name)\n"
        "m.version = version\n"
        "from gpusort_cluster.__main__ import main\n"
        f"sys.exit(main(['{engine}', 'in', '--by', 'a', '-o', 'out']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("gpusort: ")
    assert f"pip install 'gpusort-cluster[{engine}]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_package_imports_no_engine_by_itself() -> None:
    code = (
        "import gpusort_cluster as g; g.Order; print([n for n in ('ray', 'pyspark') if n in __import__('sys').modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_command_reads_flags_as_sort_does() -> None:
    words = (
        "ray a -rn -k 2,2n -S 2048 b --by=x:desc -k1,1 -h -o out --range-size 64M c --workers 2 --reverse -T/a -T /b"
    )
    given = _parser().parse_intermixed_args(words.split())
    assert given.inputs == ["a", "b", "c"]
    assert (given.memory, given.range_size, given.workers) == ("2048K", "64M", 2)
    assert given.temp == ["/a", "/b"]
    assert _order(given).flags() == ["-r", "-n", "-h", "-r", "-k", "2,2n", "-k", "1,1", "--by", "x:desc"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "RuntimeError"),
        ("The worker died.\nSee its log.", "The worker died."),
        (
            "Job aborted: Task 0 failed:\nTraceback (most recent call last):\n  File 'x', line 1\n"
            "ModuleNotFoundError: No module named 'pyarrow'\n\n\tat org.apache.spark.Error.x(Error.scala:1)\n",
            "ModuleNotFoundError: No module named 'pyarrow'",
        ),
    ],
)
def test_errors_of_engines_become_one_line(text: str, line: str) -> None:
    assert reason(RuntimeError(text)) == line
