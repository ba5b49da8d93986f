package table

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// parquetSink collects rows to row groups, which several goroutines encode, and writes
// those one after another.
type parquetSink struct {
	t       *parquetTable
	w       io.Writer
	props   *parquet.WriterProperties
	most    int // rows of a group
	bytes   int // and their bytes
	open    *group
	rows    int // in open
	size    int
	at      int64 // bytes written
	encode  chan *group
	write   chan *group // in their order
	team    sync.WaitGroup
	written chan struct{}
	mu      sync.Mutex
	err     error
	free    [][]byte
	meta    *metadata.FileMetaData // of the first group written, with all row groups
	joined  bool                   // rows are of more than one row group
}

// newSink implements source.
func (t *parquetTable) newSink(w io.Writer, o Options, groupBytes int) (sink, error) {
	if o.As != None && o.As != Parquet {
		return t.newArrowSink(w, o, groupBytes)
	}
	s := &parquetSink{
		t: t, w: w, props: t.writerProps(o), most: t.groupRows(o), bytes: groupBytes,
		encode: make(chan *group), write: make(chan *group, o.Workers), written: make(chan struct{}), joined: len(t.groups()) > 1,
	}
	for range o.Workers {
		s.team.Go(func() {
			for g := range s.encode {
				g.err = writing("encoding a row group", func() error { return t.encode(g, s.props, s.give) })
				close(g.done)
			}
		})
	}
	go s.writeAll()
	return s, nil
}

// writeAll writes groups in their order.
func (s *parquetSink) writeAll() {
	defer close(s.written)
	err := s.put([]byte(magic))
	for g := range s.write {
		<-g.done
		if err == nil {
			err = g.err
		}
		if err == nil {
			g.move(s.at, s.groups())
			if err = s.put(g.encoded.Bytes()[len(magic):]); err == nil {
				s.keep(g.meta)
			}
		}
		s.fail(err)
	}
	s.fail(err)
}

// groups is how many groups are written.
func (s *parquetSink) groups() int {
	if s.meta == nil {
		return 0
	}
	return len(s.meta.RowGroups)
}

// keep notes a group that is written: of all but the first no more than the row group, and of that
// not what is the same in each.
func (s *parquetSink) keep(m *metadata.FileMetaData) {
	if s.meta == nil {
		s.meta = m
		return
	}
	for i, c := range m.RowGroups[0].Columns {
		first := s.meta.RowGroups[0].Columns[i].MetaData
		c.MetaData.PathInSchema = first.PathInSchema
		if slices.Equal(c.MetaData.Encodings, first.Encodings) {
			c.MetaData.Encodings = first.Encodings
		}
	}
	s.meta.RowGroups = append(s.meta.RowGroups, m.RowGroups[0])
	s.meta.NumRows += m.NumRows
}

func (s *parquetSink) put(b []byte) error {
	n, err := s.w.Write(b)
	s.at += int64(n)
	return err
}

func (s *parquetSink) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *parquetSink) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// give takes a buffer back.
func (s *parquetSink) give(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < 16 {
		s.free = append(s.free, b)
	}
}

func (s *parquetSink) copy(b []byte) []byte {
	s.mu.Lock()
	var to []byte
	if n := len(s.free); n > 0 {
		to, s.free = s.free[n-1], s.free[:n-1]
	}
	s.mu.Unlock()
	return append(to[:0], b...)
}

// Write takes whole rows.
func (s *parquetSink) Write(b []byte) (int, error) {
	if err := s.failed(); err != nil {
		return 0, err
	}
	total := len(b)
	for len(b) > 0 {
		at, n := 0, 0
		for at < len(b) && s.rows+n < s.most && (s.size+at < s.bytes || s.rows+n == 0) {
			at += int(binary.LittleEndian.Uint32(b[at:]))
			n++
		}
		if n > 0 {
			if s.open == nil {
				s.open = &group{done: make(chan struct{})}
			}
			s.open.rows = append(s.open.rows, s.copy(b[:at]))
			s.rows, s.size, b = s.rows+n, s.size+at, b[at:]
		}
		if len(b) > 0 {
			s.flush()
		}
	}
	return total, nil
}

var _ sink = (*parquetSink)(nil)

// flush sends the open group on.
func (s *parquetSink) flush() {
	if s.open == nil {
		return
	}
	s.encode <- s.open
	s.write <- s.open
	s.open, s.rows, s.size = nil, 0, 0
}

// stop ends the goroutines.
func (s *parquetSink) stop() {
	if s.encode == nil {
		return
	}
	close(s.encode)
	close(s.write)
	s.team.Wait()
	<-s.written
	s.encode = nil
}

// close writes the last group, and what a Parquet file ends with.
func (s *parquetSink) close() error {
	s.flush()
	s.stop()
	if s.err != nil {
		return s.err
	}
	first, err := s.t.metadata(s)
	if err != nil {
		return err
	}
	m := *first
	f := *m.FileMetaData
	m.FileMetaData = &f
	f.RowGroups, f.NumRows = nil, 0
	created := s.props.CreatedBy()
	f.CreatedBy = &created
	if s.joined {
		f.KeyValueMetadata = withWideIndices(f.KeyValueMetadata)
	}
	if s.meta != nil {
		f.RowGroups, f.NumRows = s.meta.RowGroups, s.meta.NumRows
	}
	n, err := m.WriteTo(s.w, nil)
	if err != nil {
		return err
	}
	return s.put(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), magic...))
}

// metadata is what an output has besides its row groups: the schema and all other metadata
// of the first input, or, if that was no Parquet, the schema.
func (t *parquetTable) metadata(s *parquetSink) (*metadata.FileMetaData, error) {
	switch {
	case len(t.files) > 0:
		return t.files[0].meta, nil
	case s.meta != nil:
		return s.meta, nil
	}
	var g group
	err := writing("encoding a row group", func() error { return t.encode(&g, s.props, s.give) })
	return g.meta, err
}

// groupRows is how many rows a group has at most: as many as in the inputs.
func (t *parquetTable) groupRows(o Options) int {
	if o.GroupRows > 0 {
		return o.GroupRows
	}
	most := int64(1)
	for _, f := range t.files {
		for _, g := range f.meta.RowGroups {
			most = max(most, g.NumRows)
		}
	}
	return int(max(most, leastGroupRows))
}

// leastGroupRows is how many rows a group has if those of the inputs have fewer.
const leastGroupRows = 122_880

// writerProps has columns written as those of the first row group are.
func (t *parquetTable) writerProps(o Options) *parquet.WriterProperties {
	var p []parquet.WriterProperty
	p = append(p, parquet.WithSortingColumns(t.sorted), parquet.WithDictionaryDefault(len(t.files) == 0), parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCompressionLevel(zstdLevel))
	for i := range t.schema.NumColumns() {
		path := t.schema.Column(i).Path()
		for _, f := range t.files {
			if f.meta.NumRowGroups() == 0 {
				continue
			}
			c, err := f.meta.RowGroup(0).ColumnChunk(i)
			if err != nil {
				break
			}
			codec := c.Compression()
			switch codec {
			case compress.Codecs.Lz4, compress.Codecs.Lzo: // of which there are two meanings
				codec = compress.Codecs.Lz4Raw
			}
			p = append(p, parquet.WithCompressionFor(path, codec), parquet.WithDictionaryFor(path, c.HasDictionaryPage()),
				parquet.WithDictionaryCostFallbackFor(path, false))
			if e := encodingOf(c.Type(), c.Encodings()); e != parquet.Encodings.Plain {
				p = append(p, parquet.WithEncodingFor(path, e))
			}
			break
		}
		if o.Compression != "" {
			p = append(p, parquet.WithCompressionFor(path, codecs[o.Compression]))
		}
	}
	return parquet.NewWriterProperties(p...)
}

// zstdLevel is the level for zstd.
const zstdLevel = 1

// encodingOf is the encoding of values among those of a column's pages, if it can be written.
func encodingOf(t parquet.Type, all []parquet.Encoding) parquet.Encoding {
	var known []parquet.Encoding
	switch t {
	case parquet.Types.Int32, parquet.Types.Int64:
		known = []parquet.Encoding{parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.ByteStreamSplit}
	case parquet.Types.Float, parquet.Types.Double:
		known = []parquet.Encoding{parquet.Encodings.ByteStreamSplit}
	case parquet.Types.ByteArray:
		known = []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray}
	}
	for _, e := range known {
		if slices.Contains(all, e) {
			return e
		}
	}
	return parquet.Encodings.Plain
}

// codecs are those that can be asked for.
var codecs = map[string]compress.Compression{
	"none": compress.Codecs.Uncompressed, "snappy": compress.Codecs.Snappy, "gzip": compress.Codecs.Gzip, "brotli": compress.Codecs.Brotli,
	"zstd": compress.Codecs.Zstd, "lz4": compress.Codecs.Lz4Raw,
}
