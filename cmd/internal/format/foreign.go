package format

import "bytes"

// foreign is a file format that holds no plain numbers, known by its magic bytes.
type foreign struct {
	name   string
	magic  string
	at     int               // where the magic bytes are
	also   func([]byte) bool // what else holds, where the magic bytes alone might be a key
	remedy string
}

const (
	convert = "save its numbers as .npy, text or raw data"
	reverse = "decompress it first"
)

var foreigners = []foreign{
	{name: ".npy", magic: npyMagic, remedy: "end its name in .npy, or leave the format to gpusort"},
	{name: "gzip", magic: "\x1f\x8b\x08", also: gzipHeader, remedy: reverse + " (gzip -dc)"},
	{name: "zstd", magic: "\x28\xb5\x2f\xfd", remedy: reverse + " (zstd -dc)"},
	{name: "xz", magic: "\xfd7zXZ\x00", remedy: reverse + " (xz -dc)"},
	{name: "bzip2", magic: "1AY&SY", at: 4, also: starts("BZh"), remedy: reverse + " (bzip2 -dc)"},
	{name: "lz4", magic: "\x04\x22\x4d\x18", remedy: reverse + " (lz4 -dc)"},
	{name: "zip or .npz", magic: "PK\x03\x04", also: zipHeader, remedy: "unpack it first (unzip -p)"},
	{name: "7z", magic: "7z\xbc\xaf\x27\x1c", remedy: "unpack it first (7z x -so)"},
	{name: "rar", magic: "Rar!\x1a\x07", remedy: "unpack it first"},
	{name: "tar", magic: "ustar", at: 257, remedy: "unpack it first (tar -xO)"},
	{name: "Parquet", magic: "PAR1", remedy: convert},
	{name: "Arrow", magic: "ARROW1", remedy: convert},
	{name: "Feather", magic: "FEA1", remedy: convert},
	{name: "Avro", magic: "Obj\x01", remedy: convert},
	{name: "HDF5", magic: "\x89HDF\r\n\x1a\n", remedy: convert},
	{name: "pickled", magic: "\x80", also: pickleHeader, remedy: "save it by numpy.save"},
	{name: "SQLite", magic: "SQLite format 3\x00", remedy: convert},
	{name: "DuckDB", magic: "DUCK", at: 8, remedy: convert},
	{name: "UTF-16", magic: "\xff\xfe", also: wideText, remedy: "convert it first (iconv -f UTF-16 -t UTF-8)"},
	{name: "PNG", magic: "\x89PNG\r\n\x1a\n", remedy: convert},
	{name: "JPEG", magic: "\xff\xd8\xff", also: jpegHeader, remedy: convert},
	{name: "GIF", magic: "GIF8", remedy: convert},
	{name: "PDF", magic: "%PDF-", remedy: convert},
	{name: "MP4", magic: "ftyp", at: 4, remedy: convert},
	{name: "WAVE", magic: "WAVE", at: 8, also: starts("RIFF"), remedy: convert},
	{name: "Ogg", magic: "OggS", remedy: convert},
	{name: "ELF", magic: "\x7fELF", remedy: convert},
	{name: "GGUF", magic: "GGUF", remedy: convert},
}

// foreignTo returns what a file that begins with head is, nil if nothing known.
func foreignTo(head []byte) *foreign {
	for i := range foreigners {
		f := &foreigners[i]
		if len(head) >= f.at && bytes.HasPrefix(head[f.at:], []byte(f.magic)) && (f.also == nil || f.also(head)) {
			return f
		}
	}
	return nil
}

func starts(s string) func([]byte) bool {
	return func(b []byte) bool { return bytes.HasPrefix(b, []byte(s)) }
}

// gzipHeader looks at flags, extra flags and operating system: RFC 1952.
func gzipHeader(b []byte) bool {
	return len(b) >= 18 && b[3] < 0x20 && (b[8] == 0 || b[8] == 2 || b[8] == 4) && (b[9] < 14 || b[9] == 255)
}

// zipHeader looks at the version that is needed to extract: 1.0 to 6.3.
func zipHeader(b []byte) bool { return len(b) >= 22 && 10 <= b[4] && b[4] <= 63 && b[5] < 20 }

// pickleHeader looks at protocol, frame opcode and the upper half of the length.
func pickleHeader(b []byte) bool {
	return len(b) > 11 && (b[1] == 4 || b[1] == 5) && b[2] == 0x95 && bytes.Equal(b[7:11], make([]byte, 4))
}

// jpegHeader looks at the kind of the first segment.
func jpegHeader(b []byte) bool { return len(b) > 3 && b[3] >= 0xc0 && b[3] != 0xff }

// wideText looks for ASCII characters of two bytes.
func wideText(b []byte) bool {
	b = b[2:min(len(b)&^1, 66)]
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+1] != 0 || b[i] >= 0x7f || b[i] < ' ' && b[i] != '\n' && b[i] != '\r' && b[i] != '\t' {
			return false
		}
	}
	return len(b) > 0
}
