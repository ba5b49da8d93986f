"""Writes Parquet files with dictionaries of indices of 8 bits (write FOLDER), and compares what gpusort made
of them (compare FOLDER)."""
import sys
import pyarrow as pa, pyarrow.parquet as pq

what, folder = sys.argv[1:3]
def table(first, rows):
    codes = pa.DictionaryArray.from_arrays(pa.array(range(rows), pa.int8()), pa.array(['v%d' % i for i in range(first, first + rows)]))
    return pa.table({'id': pa.array(range(first, first + rows), pa.int32()), 'v': codes})
if what == 'write':
    pq.write_table(table(0, 100), folder + '/a.parquet')
    pq.write_table(table(100, 100), folder + '/b.parquet')
    with pq.ParquetWriter(folder + '/groups.parquet', table(0, 1).schema) as w:
        for first in (0, 100):
            w.write_table(table(first, 100))
    sys.exit()
for name, rows, index in (('two', 200, pa.int32()), ('groups', 200, pa.int32()), ('one', 100, pa.int8())):
    try:
        got = pq.read_table('%s/out-%s.parquet' % (folder, name))
    except pa.ArrowInvalid as e:
        print(name, e)
        continue
    if got['v'].type != pa.dictionary(index, pa.string()) or got['v'].to_pylist() != ['v%d' % i for i in range(rows)]:
        print(name, got['v'].type, got['v'][:3])
