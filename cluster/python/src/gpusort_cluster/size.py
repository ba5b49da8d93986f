"""Sizes in bytes, as people write them."""

from __future__ import annotations

import re

from gpusort_cluster.errors import GpusortError

_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)


def size(value: int | str) -> int:
    """Returns value in bytes: a number of them, or "512M", "1.5GiB"; suffixes are powers of 1024, as in sort -S."""
    if isinstance(value, int):
        number, power = float(value), 0
    else:
        form = _FORM.fullmatch(value.strip())
        if form is None:
            raise GpusortError(f"size {value!r} is not of the form 512M or 1.5GiB")
        number, power = float(form[1]), " kmgt".index(form[2].lower() or " ")
    total = int(number * 1024**power)
    if total <= 0:
        raise GpusortError(f"size {value!r} must be more than 0")
    return total
