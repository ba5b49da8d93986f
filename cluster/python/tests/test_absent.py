from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LINES = {
    "module": """
import absent
absent.needs("unicorn", "no horse grows one")
""",
    "test": """
import absent
def test():
    absent.skip("unicorn", "no horse grows one")
""",
}


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("required", [False, True])
def test_what_is_absent_is_seen_and_fails_where_it_is_required(lines: str, required: bool, tmp_path: Path) -> None:
    """Runs another pytest, whose environment names what is absent, or something else."""
    (tmp_path / "test_inside.py").write_text(LINES[lines])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", HERE.parent / "pyproject.toml", tmp_path],
        env=os.environ | {"GPUSORT_REQUIRE": "ray, unicorn" if required else "horse", "PYTHONPATH": str(HERE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "unicorn is absent: no horse grows one" in done.stdout
    assert ("SKIPPED: unicorn" in done.stdout) != required
    assert ("GPUSORT_REQUIRE names what is absent" in done.stdout) == required
    assert (done.returncode in (0, 5)) != required, done.stdout
