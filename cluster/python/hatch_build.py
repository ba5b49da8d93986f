"""Makes a wheel that holds the program for one system, and says so in its name."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The program needs neither a C library nor a Python; the oldest systems are those of Go's own support.
PLATFORMS = {
    ("linux", "amd64"): "manylinux2014_x86_64",
    ("linux", "arm64"): "manylinux2014_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}
PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}


class Program(BuildHookInterface[Any]):
    """Tags the wheel for the system of GOOS and GOARCH, or of this machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuses a wheel without the program."""
        if version == "editable":
            return
        if not any(Path(self.root, "src/gpusort_cluster/bin").glob("gpusort-cluster*")):
            raise RuntimeError("src/gpusort_cluster/bin holds no gpusort-cluster: say `make wheel`, which builds it")
        machine = platform.machine().lower()
        target = (
            os.environ.get("GOOS") or platform.system().lower(),
            os.environ.get("GOARCH") or PROCESSORS.get(machine, machine),
        )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[target]}"
