"""URLs of stores, with parameters behind the last ? as gocloud.dev has them: s3://b/out/?region=us-west-2."""

from __future__ import annotations


def join(folder: str, name: str) -> str:
    """Returns the URL of a name in a folder, with the folder's parameters; "" names the folder itself, with a /."""
    place, mark, parameters = folder.rpartition("?")
    if "=" not in parameters or not mark:
        place, mark, parameters = folder, "", ""
    return f"{place.rstrip('/')}/{name}{mark}{parameters}"
