#!/usr/bin/env python3
"""Measures `gpusort sort` beside its peers, in turns: sort_jobs.py GPUSORT FOLDER [JOB…].

FOLDER holds the inputs that JOBS names: lines, CSV and Parquet of any length, and, for 'records' and
'records.ascii', what `gpusort gen --records` and `--records=ascii` write. Outputs go there, too. Each line
of the result has the least wall and CPU seconds of ROUNDS (default 1) and the most memory in MiB; DuckDB
and Polars count without the start of Python. Outputs are compared where the order leaves no choice.
Before each program what others wrote goes to the disk, and TOUCHED MiB of memory (default 3072) are written and given
back: the host of a virtual machine may take free memory away, and gives it again at some 2 seconds a GiB, which whoever
comes first would pay.
The job 'start' has milliseconds, the median and the least of RUNS (default 300), of 1,000 lines that it
makes itself, of GNU sort with them and of a Go program that does nothing. A peer that is not on the PATH
is left out.
"""
import filecmp, json, os, random, resource, shutil, subprocess, sys, time

TWO = {**os.environ, "LC_ALL": "C", "POLARS_MAX_THREADS": "2"}
LINE = "read_csv('{i}', columns={{'l': '{t}'}}, header=false, auto_detect=false, delim=E'\\x1f', quote='', escape='')"
TEXT = "(header false, quote '', delimiter E'\\x1f')"


def lines(kind, by):
    return "copy (select * from " + LINE.replace("{t}", kind) + " order by " + by + ") to '{o}' " + TEXT


def csv(by):
    return "copy (select * from read_csv('{i}') order by " + by + ") to '{o}' (header, delimiter ',')"


def parquet(by):
    return "copy (select * from read_parquet('{i}') order by " + by + ") to '{o}' (format parquet, compression zstd)"


# A job: its input, gpusort's options, and its peers: GNU sort's options, or DuckDB's query and memory.
JOBS = {
    "lines": ("random24", "", {"gnu": "", "duckdb": (lines("varchar", "l"), "")}),
    "-n": ("u32", "-n", {"gnu": "-n", "duckdb": (lines("uinteger", "l"), "")}),
    **{o: (kind, o, {"gnu": o}) for kind, o in [
        ("access", "-k5,5n"), ("access", "-k3,3 -k6,6gr"), ("access", "-k1,1V -s"), ("access", "-u -k4,4"),
        ("versions", "-V"), ("sizes", "-h"), ("words", "-u"), ("words", "-f")]},
    "urls": ("urls", "", {"gnu": ""}),
    "records": ("records.ascii", "--record 100 --key 0:10 -S {s}", {
        "gnu": "-S {s}", "duckdb": (lines("varchar", "l"), "{s4}")}),
    "spilled": ("random24.large", "-S {s}", {"gnu": "-S {s}"}),
    "csv": ("csv", "--by city,price:desc -S {s}", {
        "duckdb": (csv("city, price desc"), "{s}B"), "mlr": "mlr --csv sort -f city -nr price {i} > {o}",
        # One direction for all columns, so one stable sort after the other; all rows are in memory.
        "xan": "xan sort -s price -N -R {i} | xan sort -s city > {o}",
        "qsvlite": "qsvlite sort -s price -N -R {i} | qsvlite sort -s city > {o}"}),
    "parquet": ("parquet", "--by city,ts --compression zstd", {"duckdb": (parquet("city, ts"), ""), "polars": ""}),
    "parquet -S": ("parquet", "--by city,ts --compression zstd -S {s}", {"duckdb": (parquet("city, ts"), "{s}B")}),
    "csv --top": ("csv", "--by price --top 100", {"duckdb": (csv("price limit 100"), "")}),
    "parquet --top": ("parquet", "--by price --top 100", {"duckdb": (parquet("price limit 100"), "")}),
}
BUDGET = {"records": "128M", "spilled": "256M", "csv": "256M", "parquet -S": "512M"}
PIPED = [job for job, (_, _, peers) in JOBS.items() if "gnu" in peers and job not in BUDGET]


def inside(peer, args):
    """Runs a Python peer in this process and prints what it took."""
    if peer == "duckdb":
        import duckdb
        query, memory = args
        db = duckdb.connect(config={"threads": 2, **({"memory_limit": memory} if memory else {})})
        do = lambda: db.execute(query)
    else:
        import polars
        do = lambda: polars.read_parquet(args[0]).sort("city", "ts").write_parquet(args[1], compression="zstd")
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.time()
    do()
    wall, r = time.time() - start, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([wall, r.ru_utime + r.ru_stime - before.ru_utime - before.ru_stime, r.ru_maxrss / 1024]))


def outside(command, source, out, pipes):
    """Runs a program and returns what it took: wall, CPU, memory."""
    feed = drain = None
    start = time.time()
    if pipes:
        feed = subprocess.Popen(["cat", source], stdout=subprocess.PIPE)
        p = subprocess.Popen(command, env=TWO, stdin=feed.stdout, stdout=subprocess.PIPE)
        drain = subprocess.Popen(["cat"], stdin=p.stdout, stdout=open(out, "wb"))
        feed.stdout.close(), p.stdout.close()
    else:
        p = subprocess.Popen([*command, "-o", out, source], env=TWO)
    _, status, r = os.wait4(p.pid, 0)
    p.returncode = status
    for other in filter(None, (feed, drain)):
        other.wait()
    if status:
        sys.exit(f"{command}: status {status}")
    return [time.time() - start, r.ru_utime + r.ru_stime, r.ru_maxrss / 1024]


def start(gpusort, folder):
    """Prints what a program takes for few lines, begun and waited for."""
    lines, source, nothing = (os.path.join(folder, "start." + end) for end in ("txt", "go", "exe"))
    numbers = random.Random(1).sample(range(10**6), 1000)
    open(lines, "w").write("".join(f"{n}\n" for n in numbers))
    open(source, "w").write("package main\n\nfunc main() {}\n")
    subprocess.run(["go", "build", "-o", nothing, source], check=True, env={**os.environ, "CGO_ENABLED": "0"})
    commands = {"gpusort": [gpusort, "sort", lines], "gnu": [shutil.which("sort"), lines], "an empty Go program": [nothing]}
    took = {who: [] for who in commands}
    to = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    for _ in range(int(os.environ.get("RUNS", 300))):
        for who, command in commands.items():
            begun = time.perf_counter()
            _, status = os.waitpid(os.posix_spawn(command[0], command, TWO, file_actions=to), 0)
            took[who].append((time.perf_counter() - begun) * 1e3)
            if status:
                sys.exit(f"{command}: status {status}")
    cells = [f"{who} {sorted(t)[len(t) // 2]:.2f} ms, least {min(t):.2f} ms" for who, t in took.items()]
    print("| start | " + " | ".join(cells) + " |", flush=True)
    for name in (lines, source, nothing):
        os.remove(name)


def settle():
    """Waits for what was written, and has the system have memory."""
    os.sync()
    some = int(os.environ.get("TOUCHED", 3072))
    subprocess.run([sys.executable, "-c", f"bytearray(b'x') * ({some} << 20)"], check=True)


def measure(who, args, gpusort, source, out, pipes, s):
    settle()
    fill = dict(i=source, o=out, s=s, s4=f"{4 * int(s[:-1] or 0)}MB" if s else "")
    if who in ("gpusort", "gnu"):
        command = [gpusort, "sort"] if who == "gpusort" else ["sort", "--parallel=2"]
        return outside(command + ["-T", os.path.dirname(out)] + args.format(**fill).split(), source, out, pipes)
    if isinstance(args, str) and "{i}" in args:
        return outside(["sh", "-c", args.format(**fill), "sh"], source, out, pipes)
    args = [a.format(**fill) for a in args] if who == "duckdb" else [source, out]
    return json.loads(subprocess.run([sys.executable, __file__, "inside", who, json.dumps(args)], env=TWO, check=True, stdout=subprocess.PIPE).stdout)


def main(gpusort, folder, *wanted):
    rounds = int(os.environ.get("ROUNDS", 1))
    for name in wanted or [*JOBS, *("pipes " + j for j in PIPED), "start"]:
        if name == "start":
            start(gpusort, folder)
            continue
        job = name.removeprefix("pipes ")
        source, own, peers = JOBS[job]
        source = os.path.join(folder, source)
        s = os.environ.get("BUDGET", BUDGET.get(job, ""))
        best, outs = {}, {}
        for _ in range(rounds):
            for who, args in {"gpusort": own, **peers}.items():
                if isinstance(args, str) and "{i}" in args and not shutil.which(who):
                    continue
                outs[who] = os.path.join(folder, "out." + who + (".parquet" if "parquet" in job else ".csv" if "csv" in job else ""))
                took = measure(who, args, gpusort, source, outs[who], name != job, s)
                old = best.get(who, took)
                best[who] = [min(took[0], old[0]), min(took[1], old[1]), max(took[2], old[2])]
        ours = best["gpusort"]
        cells = [f"{who} {w:.2f} s, CPU {c:.2f} s, {m:.0f} MiB" + ("" if who == "gpusort" else f" ({w / ours[0]:.2f} ×, CPU {c / ours[1]:.2f} ×)")
                 for who, (w, c, m) in best.items()]
        same = "gnu" not in outs or filecmp.cmp(outs["gpusort"], outs["gnu"], False)
        print(f"| {name} | {os.path.getsize(source) / 1e6:.0f} MB | " + " | ".join(cells) + ("" if same else " | outputs differ") + " |", flush=True)
        for out in outs.values():
            os.remove(out)


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(sys.argv[2], json.loads(sys.argv[3]))
    else:
        main(*sys.argv[1:])
