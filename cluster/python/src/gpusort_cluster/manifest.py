"""What the tasks say of their work, and the final manifest of a sort."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from gpusort_cluster.errors import GpusortError
from gpusort_cluster.url import join

# The keys of the line of JSON that a task prints, as far as they are read here.
_KEYS: dict[str, dict[str, type]] = {"cut": {"ranges": int}, "finish": {"objects": list}}


@dataclass(frozen=True)
class Part:
    """One object of the output; size is its bytes."""

    url: str
    rows: int
    size: int


@dataclass(frozen=True)
class Manifest:
    """The objects of a sort in the order of their rows; url is the manifest itself, which says more."""

    url: str
    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        """The rows of all parts."""
        return sum(part.rows for part in self.parts)

    @classmethod
    def of(cls, output: str, said: dict[str, Any]) -> Manifest:
        """Returns the manifest that `gpusort-cluster finish` wrote below output, by the line that it printed."""
        try:
            parts = [
                Part(join(output, part["object"]), int(part["rows"]), int(part["size"])) for part in said["objects"]
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise GpusortError(
                f"gpusort-cluster finish printed objects of another form ({error!r}): {_VERSIONS}"
            ) from error
        return cls(join(output, "manifest.json"), tuple(parts))


_VERSIONS = "install package and program of the same version"


def line(printed: bytes, task: str) -> dict[str, Any]:
    """Returns the JSON object that a task printed as its one line."""
    try:
        said = json.loads(printed)
    except ValueError:
        said = None
    if not isinstance(said, dict) or any(type(said.get(key)) is not kind for key, kind in _KEYS.get(task, {}).items()):
        raise GpusortError(f"gpusort-cluster {task} printed {printed[:80]!r}: {_VERSIONS}")
    return said
