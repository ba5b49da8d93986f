"""Makes a wheel that holds the program one for its system, and says so in its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Program(BuildHookInterface[Any]):
    """Gives the wheel the tag of GPUSORT_WHEEL, such as py3-none-manylinux2014_x86_64."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuses a wheel without the program."""
        if version == "editable":
            return
        if not any(Path(self.root, "src/gpusort_cluster/bin").glob("gpusort-cluster*")):
            raise RuntimeError("src/gpusort_cluster/bin holds no gpusort-cluster: say `make wheel`, which builds it")
        build_data["pure_python"] = False
        build_data["tag"] = os.environ.get("GPUSORT_WHEEL", "py3-none-manylinux2014_x86_64")
