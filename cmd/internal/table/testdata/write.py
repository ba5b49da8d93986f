"""Writes Parquet and Arrow files with columns of all types to a folder, and prints what to sort them by."""
import datetime as dt, decimal, json, random, sys
import duckdb, numpy as np, pyarrow as pa, pyarrow.feather as feather, pyarrow.ipc as ipc, pyarrow.parquet as pq

folder, n = sys.argv[1], int(sys.argv[2])
r = random.Random(5)
D = decimal.Decimal


def some(f, nulls=0.1):
    return [None if r.random() < nulls else f() for _ in range(n)]


def dec(digits, scale):
    return lambda: D(r.randrange(-10 ** r.randrange(1, digits), 10 ** r.randrange(1, digits))).scaleb(-scale)


def flt():
    return r.choice([0.0, -0.0, 1.5, float("inf"), float("-inf"), r.gauss(0, 1e10), r.gauss(0, 1e-10), float("nan")])


def ints(bits, signed=True):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return lambda: r.choice([low, high, 0, 1, r.randrange(low, high + 1) >> r.randrange(bits)])


def words():
    return r.choice(["", "a", "b", "a\0", "a\0b", "é", "zz", "ab", "\x01", "long common prefix " + str(r.randrange(9))])


def raw(k):
    return lambda: bytes(r.choice([0, 1, 127, 128, 255]) for _ in range(k))


def days():
    return dt.date(1970, 1, 1) + dt.timedelta(days=r.randrange(-30000, 30000))


stamps = lambda: r.randrange(-10 ** 15, 10 ** 15)
C = {
    "bool": (pa.bool_(), lambda: r.random() < .5),
    "i8": (pa.int8(), ints(8)), "i16": (pa.int16(), ints(16)), "i32": (pa.int32(), ints(32)), "i64": (pa.int64(), ints(64)),
    "u8": (pa.uint8(), ints(8, False)), "u16": (pa.uint16(), ints(16, False)), "u32": (pa.uint32(), ints(32, False)), "u64": (pa.uint64(), ints(64, False)),
    "f32": (pa.float32(), flt), "f64": (pa.float64(), flt),
    "f16": (pa.float16(), lambda: np.float16(r.choice([0., -0., 1.5, float("inf"), r.gauss(0, 100)]))),
    "d9": (pa.decimal128(9, 2), dec(9, 2)), "d18": (pa.decimal128(18, 4), dec(18, 4)), "d38": (pa.decimal128(38, 10), dec(37, 10)), "d76": (pa.decimal256(76, 5), dec(70, 5)),
    "str": (pa.string(), words), "bin": (pa.binary(), lambda: words().encode()), "large": (pa.large_string(), words), "fsb": (pa.binary(5), raw(5)),
    "date": (pa.date32(), days), "t32": (pa.time32("ms"), lambda: dt.time(r.randrange(24), r.randrange(60), 1, 2000)),
    "t64": (pa.time64("us"), lambda: dt.time(r.randrange(24), r.randrange(60), 1, r.randrange(10 ** 6))),
    "ms": (pa.timestamp("ms"), lambda: stamps() // 1000), "us": (pa.timestamp("us", "UTC"), stamps), "ns": (pa.timestamp("ns", "Europe/Berlin"), lambda: stamps() * 1000),
    "dict": (pa.dictionary(pa.int32(), pa.string()), words), "allnull": (pa.int32(), None), "few": (pa.int32(), lambda: r.randrange(5)),
}
cols = {k: pa.array(some(f) if f else [None] * n, t) for k, (t, f) in C.items()}
required = pa.field("req", pa.int32(), nullable=False)
lists = pa.array(some(lambda: [r.choice([None, 1, 2]) for _ in range(r.randrange(4))]), pa.list_(pa.int64()))
deep = pa.array(some(lambda: [[words() for _ in range(r.randrange(3))] if r.random() < .8 else None for _ in range(r.randrange(3))]), pa.list_(pa.list_(pa.string())))
structs = pa.array(some(lambda: {"x": r.choice([None, r.randrange(99)]), "y": {"z": words()}}), pa.struct([("x", pa.int32()), ("y", pa.struct([("z", pa.string())]))]))
maps = pa.array(some(lambda: [(words(), r.randrange(9)) for _ in range(r.randrange(3))]), pa.map_(pa.string(), pa.int32()))
cols |= {"list": lists, "deep": deep, "struct": structs, "map": maps, "i": pa.array(range(n), pa.int64())}
schema = pa.schema([pa.field(k, v.type, metadata={"note": "of " + k}) for k, v in cols.items()] + [required], metadata={"made": "by the test"})
table = pa.table(list(cols.values()) + [pa.array([r.randrange(100) for _ in range(n)], pa.int32())], schema=schema)

jobs = []


def job(name, *keys):
    jobs.extend({"In": folder + "/" + name, "Keys": k} for k in keys)


pq.write_table(table, folder + "/all.parquet", row_group_size=n // 3, compression="zstd")
job("all.parquet", *list(C), "req", "few,str:desc", "few:desc:first,bool,i64", "struct.x:first,i:desc", "struct.y.z", "34")
small = table.select(["i32", "i64", "f64", "str", "bin", "fsb", "bool", "list", "struct", "few", "ns", "i"])
pq.write_table(small, folder + "/v2.parquet", data_page_version="2.0", compression="snappy", row_group_size=n // 5, data_page_size=2000, write_page_index=True)
job("v2.parquet", "str", "f64:desc", "few,i:desc")
pq.write_table(small, folder + "/plain.parquet", use_dictionary=False, compression="none", data_page_size=500, use_byte_stream_split=["f64"])
job("plain.parquet", "f64", "few")
pq.write_table(small, folder + "/delta.parquet", use_dictionary=False, compression="gzip", column_encoding={
    "i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED", "str": "DELTA_BYTE_ARRAY", "bin": "DELTA_LENGTH_BYTE_ARRAY", "bool": "RLE"})
job("delta.parquet", "str", "i64", "bool,fsb")
pq.write_table(small, folder + "/brotli.parquet", compression={"i32": "brotli", "i64": "lz4", "str": "zstd"}, use_deprecated_int96_timestamps=True)
job("brotli.parquet", "i32", "ns:desc")
pq.write_table(small.slice(0, 0), folder + "/empty.parquet")
job("empty.parquet", "str")
pq.write_table(small.slice(0, 1).drop(["ns"]), folder + "/one.parquet", store_schema=False, version="1.0")
job("one.parquet", "i32")
duckdb.sql(f"copy (select *, interval (i % 7) day as iv, i::hugeint as h, (i % 13)::decimal(5,2) as d from small) to '{folder}/duck.parquet' (format parquet, row_group_size 500)")
job("duck.parquet", "str:first", "d:desc,i:desc", "few,f64")

arrow = table.append_column("view", pa.array(some(lambda: words() * r.randrange(3)), pa.string_view())) \
    .append_column("three", pa.array(some(lambda: [1, None, r.randrange(5)]), pa.list_(pa.int16(), 3))) \
    .append_column("biglist", pa.array(some(lambda: [words()]), pa.large_list(pa.large_string()))) \
    .append_column("null", pa.nulls(n)).append_column("dur", pa.array(some(lambda: r.randrange(-99, 99)), pa.duration("s"))) \
    .append_column("d5", pa.array(some(dec(5, 1)), pa.decimal128(5, 1)).cast(pa.decimal32(5, 1)))
arrow = arrow.set_column(arrow.schema.get_field_index("dict"), "dict", arrow["dict"].combine_chunks())
with ipc.new_file(folder + "/all.arrow", arrow.schema) as w:
    for b in arrow.to_batches(max_chunksize=n // 4):
        w.write_batch(b)
job("all.arrow", *list(C), "view", "dur:desc", "d5", "few,str:desc", "few:desc:first,bool,i64", "dict:desc:first,i:desc")
with ipc.new_stream(folder + "/all.arrows", small.schema) as w:
    w.write_table(small, max_chunksize=n // 4)
job("all.arrows", "str", "few:first,i:desc")
feather.write_feather(small, folder + "/small.feather", compression="lz4", chunksize=n // 3)
job("small.feather", "f64", "few,i:desc")
feather.write_feather(small.slice(0, 0), folder + "/none.feather", compression="zstd")
job("none.feather", "str")
json.dump(jobs, sys.stdout)
