"""Writes a Parquet and an Arrow file of all types that text has (write FOLDER), and compares what
gpusort made of them with what DuckDB and pyarrow read (compare FOLDER)."""
import datetime, decimal, json, random, sys, uuid
import duckdb, pyarrow as pa, pyarrow.compute, pyarrow.ipc, pyarrow.parquet as pq

what, folder = sys.argv[1:3]
random.seed(1)
D = decimal.Decimal
day = lambda n: datetime.date(1970, 1, 1) + datetime.timedelta(days=n)
second = lambda n: datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=n)
texts = ['', 'a', 'a,b', '"q"', 'l\nm', 'é', '\t', ' x ', 'NULL', 'null', '\\N', "it's", '\r']
columns = {
    'i8': (pa.int8(), lambda: random.randint(-128, 127)), 'u8': (pa.uint8(), lambda: random.randint(0, 255)),
    'i16': (pa.int16(), lambda: random.randint(-2**15, 2**15 - 1)), 'u16': (pa.uint16(), lambda: random.randint(0, 2**16 - 1)),
    'i32': (pa.int32(), lambda: random.randint(-2**31, 2**31 - 1)), 'u32': (pa.uint32(), lambda: random.randint(0, 2**32 - 1)),
    'i64': (pa.int64(), lambda: random.randint(-2**63, 2**63 - 1)), 'u64': (pa.uint64(), lambda: random.randint(0, 2**64 - 1)),
    'f32': (pa.float32(), lambda: random.choice([0.0, -0.0, 1.5, float('inf'), float('-inf'), random.gauss(0, 1e30)])),
    'f64': (pa.float64(), lambda: random.choice([0.0, -0.0, 1e-310, float('inf'), float('-inf'), float('nan'), random.gauss(0, 1)])),
    'b': (pa.bool_(), lambda: random.random() < .5), 's': (pa.string(), lambda: random.choice(texts)),
    'dict': (pa.dictionary(pa.int32(), pa.string()), lambda: random.choice(texts)),
    'day': (pa.date32(), lambda: day(random.randint(-300000, 300000))),
    'time': (pa.time64('us'), lambda: (datetime.datetime.min + datetime.timedelta(microseconds=random.randint(0, 86399999999))).time()),
    'tick': (pa.time32('s'), lambda: (datetime.datetime.min + datetime.timedelta(seconds=random.randint(0, 86399))).time()),
    'sec': (pa.timestamp('s'), lambda: second(random.randint(-10**9, 10**9) * 10**6)),
    'ms': (pa.timestamp('ms'), lambda: second(random.randint(-10**15, 10**15) // 1000 * 1000)),
    'us': (pa.timestamp('us'), lambda: second(random.randint(-10**16, 10**16))),
    'utc': (pa.timestamp('us', 'UTC'), lambda: second(random.randint(-10**15, 10**15))),
    'd9': (pa.decimal128(9, 2), lambda: D(random.randint(-10**9 + 1, 10**9 - 1)).scaleb(-2)),
    'd18': (pa.decimal128(18, 0), lambda: D(random.randint(-10**17, 10**17))),
    'd38': (pa.decimal128(38, 10), lambda: D(random.randint(-10**30, 10**30)).scaleb(-10, decimal.Context(prec=50))),
    'blob': (pa.binary(), lambda: random.choice([b'', b'a\\b', b'\x00\xff"', b'plain'])),
}
if what == 'write':
    rows = int(sys.argv[3])
    arrays = {'id': pa.array(random.sample(range(rows), rows), pa.int32())}
    for name, (t, value) in columns.items():
        arrays[name] = pa.array([value() if random.random() < .9 else None for _ in range(rows)], t)
    table = pa.table(arrays).cast(pa.schema([pa.field('id', pa.int32(), False)] + [pa.field(n, t) for n, (t, _) in columns.items()]))
    pq.write_table(table, folder + '/in.parquet')
    pq.write_table(table, folder + '/old.parquet', use_deprecated_int96_timestamps=True, store_decimal_as_integer=True)
    with pa.ipc.new_file(folder + '/in.arrow', table.schema) as w:
        w.write_table(table, max_chunksize=100)
    with pa.ipc.new_file(folder + '/none.arrow', table.schema) as w:
        pass
    con = duckdb.connect()
    con.execute("copy (select id, md5(id::varchar)::uuid u, mod(id, 1000)::decimal(4,1) d4 from '%s/in.parquet') to '%s/duck.parquet' (format parquet)" % (folder, folder))
    sys.exit()

con = duckdb.connect()
con.execute("set timezone = 'UTC'")
def rows(query):
    return [tuple(repr(v) if isinstance(v, float) else v for v in r) for r in con.execute(query).fetchall()]
for name in ('in', 'old', 'duck', 'arrow'):
    source = 'arrow' if name == 'arrow' else name
    original = "read_parquet('%s/%s.parquet')" % (folder, 'in' if name == 'arrow' else name)
    types = {r[0]: r[1] for r in con.execute('describe select * from %s' % original).fetchall()}
    want = rows('select * from %s order by id desc' % original)
    for ending in ('csv', 'tsv', 'csv.gz'):
        file = '%s/%s.%s' % (folder, source, ending)
        got = rows("select * from read_csv('%s', header = true, delim = '%s', quote = '\"', escape = '\"', columns = %s, nullstr = '', allow_quoted_nulls = false, auto_detect = false, strict_mode = true)"
                   % (file, '\\t' if ending == 'tsv' else ',', json.dumps(types).replace('"', "'")))
        if got != want:
            at = [(g, w) for g, w in zip(got, want) if g != w][:1]
            print(file, len(got), len(want), [(n, g, w) for n, g, w in zip(types, *at[0]) if g != w] if at else '')
    wanted = con.execute('select * from %s order by id desc' % original).to_arrow_table()
    for i, line in enumerate(open('%s/%s.jsonl' % (folder, source))):
        row = json.loads(line)
        for n in ('id', 'i64', 'b', 's', 'dict', 'u32'):
            if n in types and row.get(n) != wanted[n][i].as_py():
                print(source, 'jsonl', i, n, row.get(n), wanted[n][i])
    if name != 'duck':
        got = pa.ipc.open_file('%s/%s.feather' % (folder, source)).read_all()
        for n in got.column_names:
            a, b = got[n].combine_chunks(), wanted[n].combine_chunks()
            if n == 'f32' or n == 'f64':
                a, b = a.cast(pa.string()), b.cast(pa.string())
            if pa.types.is_dictionary(a.type):
                a = a.cast(pa.string())
            if pa.types.is_dictionary(b.type):
                b = b.cast(pa.string())
            if a.cast(b.type) != b:
                print(source, 'feather', n, a.type, b.type)

a, b = pq.read_table(folder + '/arrow.parquet'), pq.read_table(folder + '/in.parquet')
b = b.take(pa.compute.sort_indices(b, [('id', 'descending')]))
for n in b.column_names:
    t = pa.string() if n in ('f32', 'f64', 'dict') else b[n].type
    if a[n].combine_chunks().cast(t) != b[n].combine_chunks().cast(t) or n != 'dict' and a[n].type != b[n].type:
        print('arrow to parquet', n, a[n].type, b[n].type)
if rows("select * from '%s/arrow.parquet'" % folder) != want or con.execute("select count(*) from '%s/none.parquet'" % folder).fetchall() != [(0,)]:
    print('arrow to parquet: DuckDB reads something else')
meta = pq.ParquetFile(folder + '/arrow.parquet').metadata
if meta.num_row_groups < 2 or meta.row_group(0).sorting_columns != (pq.SortingColumn(0, descending=True, nulls_first=False),):
    print('arrow to parquet', meta, meta.row_group(0).sorting_columns)
for c in (meta.row_group(0).column(k) for k in range(meta.num_columns)):  # readers cut integers short, but not these
    if c.path_in_schema in ('i8', 'i16') and not c.statistics.min < 0 < c.statistics.max:
        print('arrow to parquet', c)
