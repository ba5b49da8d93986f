"""Compares sorted tables with their inputs: compare.py JOBS. It prints what differs."""
import functools, json, math, sys
import pyarrow as pa, pyarrow.ipc as ipc, pyarrow.parquet as pq


def read(name):
    if name.endswith(".parquet"):
        return pq.read_table(name)
    with open(name, "rb") as f:
        magic = f.read(6)
    with pa.OSFile(name) as f:
        return (ipc.open_file if magic == b"ARROW1" else ipc.open_stream)(f).read_all()


def plain(v):
    """What orders a value: NaN first, zeros tie."""
    if isinstance(v, bool) or v is None:
        return v
    try:
        f = float(v)
        return (0, 0) if math.isnan(f) else (1, v)
    except (TypeError, ValueError, OverflowError):
        return v.encode() if isinstance(v, str) else v


def column(t, path):
    if path.isdigit():
        return t.column(int(path) - 1).to_pylist()
    c, *rest = path.split(".")
    values = t.column(c).cast(pa.int64()).to_pylist() if pa.types.is_timestamp(t.column(c).type) else t.column(c).to_pylist()
    for p in rest:
        values = [None if v is None else v[p] for v in values]
    return values


def order(t, keys):
    idx = list(range(t.num_rows))
    for key in reversed(keys.split(",")):
        path, *words = key.split(":")
        values = [plain(v) for v in column(t, path)]
        some = [i for i in idx if values[i] is not None]
        none = [i for i in idx if values[i] is None]
        some.sort(key=lambda i: values[i], reverse="desc" in words)
        # Python's sort keeps ties in their order when it reverses, too.
        idx = none + some if "first" in words else some + none
    return idx


def text(t):
    """Rows by their text, since NaN differs from itself."""
    return [repr(r) for r in t.to_pylist()]


read = functools.cache(read)
rows = functools.cache(lambda name: text(read(name)))
for job in json.load(open(sys.argv[1])):
    a, b = read(job["In"]), pq.read_table(job["Out"]) if job["Out"].endswith(".parquet") else read(job["Out"])
    what = job["In"].split("/")[-1] + " by " + job["Keys"] + ": "
    if not a.schema.equals(b.schema, check_metadata=True):
        print(what + "another schema", a.schema, b.schema)
    want = [rows(job["In"])[i] for i in order(a, job["Keys"])]
    got = text(b)
    if want != got:
        at = next((i for i, (v, w) in enumerate(zip(want, got)) if v != w), min(len(want), len(got)))
        print(what + "row", at, "of", len(got), "is", (got + ["none"])[at][:300], "want", (want + ["none"])[at][:300])
    if job["Out"].endswith(".parquet"):
        m, n = pq.ParquetFile(job["In"]).metadata, pq.ParquetFile(job["Out"]).metadata
        if str(m.schema).split("\n", 1)[1] != str(n.schema).split("\n", 1)[1] or m.metadata != n.metadata:
            print(what + "other metadata", m.schema, n.schema)
        if n.num_row_groups:
            if len(n.row_group(0).sorting_columns) != len(job["Keys"].split(",")):
                print(what + "sorting columns", n.row_group(0).sorting_columns)
            for i in range(n.num_columns):
                c, d = m.row_group(0).column(i), n.row_group(0).column(i)
                if c.has_dictionary_page and not d.has_dictionary_page and c.physical_type != "INT96" or (c.compression != d.compression):
                    print(what + "column", c.path_in_schema, d.encodings, d.compression, "not", c.encodings, c.compression)
