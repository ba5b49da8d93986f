#!/usr/bin/env python3
"""Stands in for gpusort-cluster in tests of the wrappers: sorts lines of small files by the same sub-commands.

STANDIN_DIES names a file: while its number is above 0, a split takes 1 off and kills itself.
"""

import bisect
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path


def fail(message, code=3):
    print(f"gpusort-cluster: {message}", file=sys.stderr)
    sys.exit(code)


def options(words):
    """Returns what is no option, and the options; all take a value."""
    plain, named = [], {}
    words = iter(words)
    for word in words:
        if word.startswith("-"):
            named[word] = next(words)
        else:
            plain.append(word)
    return plain, named


def put(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{os.getpid()}")
    half.write_text(text)
    half.rename(path)


def lines(names):
    return [line for name in names for line in Path(name).read_text().splitlines(keepends=True)]


def matches(pattern):
    return sorted(map(str, Path(pattern).parent.glob(Path(pattern).name)))


def maybe_die():
    counter = os.environ.get("STANDIN_DIES")
    if counter and (left := int(Path(counter).read_text())) > 0:
        Path(counter).write_text(str(left - 1))
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    command, (plain, named) = sys.argv[1], options(sys.argv[2:])
    out = named.get("-o", "")
    if os.environ.get("GPUSORT_CLUSTER_STDIN") == "lease":
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(143)), daemon=True).start()
    if command == "sample":
        files = [name for pattern in plain for name in matches(pattern)]
        if not files:
            fail(f"sample: no file matches {plain[0]}: check the name")
        put(out, json.dumps({"files": files, "keys": sorted(lines(files))[:: max(1, len(lines(files)) // 1000)]}))
        print("{}")
    elif command == "cut":
        samples, n = [json.loads(Path(name).read_text()) for name in plain], int(named.get("--ranges", "2"))
        keys, sample = sorted(key for sample in samples for key in sample["keys"]), samples[0]
        borders = [keys[len(keys) * i // n] for i in range(1, n)] if keys else []
        text = json.dumps({"files": sample["files"], "borders": borders, "ranges": len(borders) + 1})
        put(out, text)
        print(text)
    elif command == "split":
        maybe_die()
        cut, task, of = json.loads(Path(named["--splitters"]).read_text()), int(named["--task"]), int(named["--of"])
        runs = [[] for _ in range(cut["ranges"])]
        for line in sorted(lines(cut["files"][task::of])):
            runs[bisect.bisect_right(cut["borders"], line)].append(line)
        put(f"{out}split-{task:05d}.json", json.dumps({"ranges": runs}))
        print("{}")
    elif command == "merge":
        number, work = int(named["--range"]), plain[0]
        runs = [json.loads(Path(f"{work}split-{task:05d}.json").read_text()) for task in range(int(named["--of"]))]
        rows = sorted(row for run in runs for row in run["ranges"][number])
        text, part = "".join(rows), f"part-{number:05d}.txt"
        put(out + part, text)
        put(f"{work}merge-{number:05d}.json", json.dumps({"object": part, "rows": len(rows), "size": len(text)}))
        print("{}")
    elif command == "finish":
        ranges, work = json.loads(Path(named["--splitters"]).read_text())["ranges"], plain[0]
        parts = [json.loads(Path(f"{work}merge-{number:05d}.json").read_text()) for number in range(ranges)]
        text = json.dumps({"objects": parts})
        put(f"{out}manifest.json", text)
        print(text)
    elif command == "clean":
        shutil.rmtree(plain[0], ignore_errors=True)
        print("{}")
    elif command == "sleep":
        put(plain[0], str(os.getpid()))
        time.sleep(60)
    elif command == "fail":
        fail("fail: it went wrong: try something else", int(plain[0]))
    elif command.startswith("stream"):
        if plain == ["fail"]:
            fail(f"{command}: there is no column x: name another")
        import streams

        streams.main(command, named)
    else:
        fail(f"unknown command {command}")


main()
