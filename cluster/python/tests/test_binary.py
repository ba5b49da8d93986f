from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gpusort_cluster import binary
from gpusort_cluster.errors import BinaryMissingError, GpusortError, TaskDiedError


def gone(pid: int) -> bool:
    """Waits for a process that is no child of this one to end."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def pid_in(path: Path) -> int:
    for _ in range(200):
        if path.exists():
            return int(path.read_text())
        time.sleep(0.05)
    raise AssertionError(f"{path} was not written")


def test_named_program_must_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BinaryMissingError, match="nowhere is no program: give the path"):
        binary.find(str(tmp_path / "nowhere"))
    monkeypatch.setenv("GPUSORT_CLUSTER", str(tmp_path))
    (tmp_path / "text").write_text("no program")
    with pytest.raises(BinaryMissingError, match="text is no program"):
        binary.find(str(tmp_path / "text"))


def test_missing_program_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPUSORT_CLUSTER", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(binary, "__file__", "/nowhere/binary.py")
    monkeypatch.delattr(os, "uname")  # as on Windows
    with pytest.raises(BinaryMissingError, match="install a wheel of gpusort-cluster, or set GPUSORT_CLUSTER"):
        binary.find()


def test_program_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPUSORT_CLUSTER", raising=False)
    monkeypatch.setattr(binary, "__file__", "/nowhere/binary.py")
    there = tmp_path / "gpusort-cluster"
    there.symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert binary.find() == str(there)


def test_bad_input_and_deaths_are_told_apart(standin: str, tmp_path: Path) -> None:
    with pytest.raises(
        GpusortError, match=r"^gpusort-cluster fail: fail: it went wrong: try something else$"
    ) as caught:
        binary.run(["fail", "3"])
    assert not isinstance(caught.value, TaskDiedError)
    with pytest.raises(TaskDiedError, match="failed with code 75"):
        binary.run(["fail", "75"])

    def kill() -> None:
        os.kill(pid_in(tmp_path / "pid"), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(TaskDiedError, match="was ended by SIGKILL"):
        binary.run(["sleep", str(tmp_path / "pid")])
    thread.join()


def test_a_task_of_no_engine_is_tried_again(tmp_path: Path) -> None:
    program, tries = tmp_path / "program", tmp_path / "tries"
    program.write_text(f"#!/bin/sh\necho >> {tries}\n[ $(wc -l < {tries}) -gt 2 ] || kill -9 $$\necho done\nexit $1\n")
    program.chmod(0o755)
    with pytest.raises(TaskDiedError):
        binary.run_again(["0"], str(program), tries=2)
    assert binary.run_again(["0"], str(program)) == b"done\n"
    with pytest.raises(GpusortError):
        binary.run_again(["3"], str(program))
    assert len(tries.read_text()) == 2 + 1 + 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_task_ends_with_the_process_that_asked_for_it(standin: str, tmp_path: Path, number: int) -> None:
    # A shell's background job ignores SIGINT, and so would this one.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"from gpusort_cluster import binary; binary.run(['sleep', {str(tmp_path / 'pid')!r}])"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    pid = pid_in(tmp_path / "pid")
    parent.send_signal(number)
    parent.wait(20)
    assert gone(pid), f"task {pid} outlived its parent"
