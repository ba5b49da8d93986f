"""How tests treat what a machine lacks: visibly skipped, or failed where GPUSORT_REQUIRE lists it, as in Go."""

from __future__ import annotations

import importlib.util
import os
from typing import Any, NoReturn

import pytest


def skip(what: str, why: str) -> NoReturn:
    """Skips a test or a whole module, saying that what is absent, or fails it if it is required."""
    __tracebackhide__ = True
    text = f"{what} is absent: {why}"
    if what in map(str.strip, os.environ.get("GPUSORT_REQUIRE", "").split(",")):
        pytest.fail(f"GPUSORT_REQUIRE names what is absent. {text}", pytrace=False)
    pytest.skip(f"SKIPPED: {text}", allow_module_level=True)


def needs(module: str, why: str) -> Any:
    """Returns a module, or skips the tests that need it."""
    __tracebackhide__ = True
    if importlib.util.find_spec(module) is None:
        skip(module, why)
    return importlib.import_module(module)
