"""The streams of the stand-in: small Arrow tables by columns of numbers and texts, known by their places."""

import bisect
import json
import sys
from pathlib import Path

import pyarrow as pa


def rank(value, descending):
    """Returns what sorts as the value does: missing ones last, in either direction."""
    if value is None:
        return [1]
    if not isinstance(value, str):
        value = value.timestamp() if hasattr(value, "timestamp") else value
        return [0, -value if descending else value]
    return [0, [-byte for byte in value.encode()] + [1] if descending else list(value.encode())]


def keys(table, by, file):
    columns = [(table.column(int(word.split(":")[0]) - 1), "desc" in word.split(":")) for word in by.split(",")]
    values = [[rank(value, descending) for value in column.to_pylist()] for column, descending in columns]
    return [[*key, [int(file), at]] for at, key in enumerate(map(list, zip(*values, strict=True)))]


def main(command, named):
    with pa.ipc.open_stream(sys.stdin.buffer) as reader:
        table = reader.read_all()
    found = keys(table, named.get("--by", "1"), named.get("--file", "0"))
    if command == "stream-sample":
        step = max(1, len(found) // int(named.get("--samples", "1000")))
        print(json.dumps({"files": [], "rows": table.num_rows, "keys": found[::step]}))
        return
    if command == "stream-range":
        borders = json.loads(Path(named["--splitters"]).read_text())["borders"]
        numbers = [bisect.bisect_right(borders, key) for key in found]
        table = table.append_column("range", pa.array(numbers, pa.int32()))
    else:
        table = table.take(sorted(range(len(found)), key=found.__getitem__))
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
