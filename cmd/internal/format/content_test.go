package format

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/gpusort/gpusort/internal/key"
)

func gz(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wide(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func npyFile(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(ctx, &b, NPY, filled(key.U32, 100, "uniform"), nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestJudge takes the same contents under names that say nothing, raw or text, and
// from a pipe that gives a byte at a time.
func TestJudge(t *testing.T) {
	const numbers = "30\n10\n20\n40\n"
	tar := strings.Repeat("\x00", 257) + "ustar\x0000" + strings.Repeat("\x00", 248)
	for name, c := range map[string]struct {
		content     string
		plain       string // what a name without meaning, or a pipe, makes of it
		named, text string // x.u32, x.txt
	}{
		"numbers":       {numbers, "text", "lines of numbers", "text"},
		"one number":    {"1234", "text", "raw", "text"},
		"columns":       {"1,2\n3,4\n", "text", "lines of numbers", "text"},
		"heading":       {"größe\n12\n", "text", "", "text"},
		"latin-1":       {"gr\xf6\xdfe des Hauses\n12\n", "text", "", "text"},
		"mark":          {"\xef\xbb\xbf1\n2\n", "text", "", "text"},
		"long text":     {strings.Repeat("ä", headBytes), "text", "raw", "text"},
		"keys":          {"\x01\x00\x00\x00\x02\x00\x00\x00", "raw", "raw", "text"},
		"zeros":         {strings.Repeat("\x00", 4*headBytes), "raw", "raw", "text"},
		"empty":         {"", "raw", "raw", "text"},
		"key like zip":  {"PK\x03\x04\x00\x00\x00\x00" + strings.Repeat("\x01", 16), "raw", "raw", "text"},
		"key like gzip": {"\x1f\x8b\x08\x00\x20\x8b\x08\x00\x21\x8b\x08\x00\x21\x8b\x08\x00\x21\x8b\x08\x00", "raw", "raw", "text"},
		"key like BOM":  {"\xff\xfe\xff\xff\x00\x00\x00\x00", "raw", "raw", "text"},
		"npy":           {npyFile(t), "npy", ".npy data", ".npy data"},
		"gzip":          {gz(t, numbers), "text", "gzip data", "gzip data"},
		"zip":           {"PK\x03\x04\x14\x00\x00\x00\x08\x00" + strings.Repeat("x", 20), "zip or .npz", "zip or .npz", "zip or .npz"},
		"zstd":          {"\x28\xb5\x2f\xfd\x04\x00\x00\x00", "zstd data", "zstd data", "zstd data"},
		"bzip2":         {"BZh91AY&SY\x00\x00", "bzip2 data", "bzip2 data", "bzip2 data"},
		"xz":            {"\xfd7zXZ\x00\x00\x00", "xz data", "xz data", "xz data"},
		"lz4":           {"\x04\x22\x4d\x18\x00\x00\x00\x00", "lz4 data", "lz4 data", "lz4 data"},
		"tar":           {tar, "tar data", "tar data", "tar data"},
		"parquet":       {"PAR1\x15\x04\x15\x00", "Parquet data", "Parquet data", "Parquet data"},
		"arrow":         {"ARROW1\x00\x00", "Arrow data", "Arrow data", "Arrow data"},
		"sqlite":        {"SQLite format 3\x00", "SQLite data", "SQLite data", "SQLite data"},
		"pickle":        {"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00]", "pickled data", "pickled data", "pickled data"},
		"utf-16":        {wide("1\r\n2\r\n"), "UTF-16 data", "UTF-16 data", "UTF-16 data"},
		"pdf":           {"%PDF-1.4\n%%\n", "PDF data", "PDF data", "PDF data"},
		"elf":           {"\x7fELF\x02\x01\x01\x00", "ELF data", "ELF data", "ELF data"},
		"png":           {"\x89PNG\r\n\x1a\n", "PNG data", "PNG data", "PNG data"},
	} {
		dir := t.TempDir()
		for file, want := range map[string]string{"x": c.plain, "x.dat": c.plain, "-": c.plain, "x.u32": c.named, "x.bin": c.named, "x.txt": c.text} {
			if want == "" {
				continue
			}
			path := file
			if file != "-" {
				path = filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			it := KeyItem(key.U32)
			in := iotest.OneByteReader(strings.NewReader(c.content))
			s, err := Open(ctx, path, Spec{Item: &it, Stdin: in, KindFlag: "--format"})
			if err != nil {
				if len(want) < 5 || !strings.Contains(err.Error(), want) {
					t.Errorf("%s as %s: error %v, want %s", name, file, err, want)
				}
				continue
			}
			if s.Kind.String() != want {
				t.Errorf("%s as %s: %v, want %s", name, file, s.Kind, want)
			}
			// What was looked at is read all the same.
			if s.Kind == Raw {
				if col, err := s.Load(ctx, nil); err != nil || string(col.Data) != c.content {
					t.Errorf("%s as %s: %d bytes were read of %d: %v", name, file, len(col.Data), len(c.content), err)
				}
			}
			s.Close()
			if file == "-" {
				in = iotest.OneByteReader(strings.NewReader(c.content))
			}
			forced, err := Open(ctx, path, Spec{Kind: Raw, Item: &it, Stdin: in})
			if err != nil {
				if !strings.Contains(err.Error(), "no multiple") {
					t.Errorf("%s as %s, raw as asked: %v", name, file, err)
				}
				continue
			}
			forced.Close()
		}
	}
}

// TestJudgeValues: bytes that just move with keys may be anything if a name or a
// width says so.
func TestJudgeValues(t *testing.T) {
	dir := t.TempDir()
	three, u32 := Item{Opaque: true, Bytes: 3}, KeyItem(key.U32)
	for _, c := range []struct {
		file, content string
		it            *Item
		want          string
	}{
		{"v.raw", "aaabbb", &three, "raw"},
		{"v.raw", gz(t, "x"), &u32, "raw"},
		{"v", "aaabbb", &three, "raw"},
		{"v", "12\n13\n", &u32, "text"},
		{"v", gz(t, "x"), &three, "end its name in .raw"},
		{"v", npyFile(t), nil, "npy"},
	} {
		path := filepath.Join(dir, c.file)
		if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(ctx, path, Spec{Item: c.it, Opaque: true})
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "no multiple"):
			t.Errorf("%s %.8q: error %v, want %s", c.file, c.content, err, c.want)
		case err == nil && s.Kind.String() != c.want:
			t.Errorf("%s %.8q: %v, want %s", c.file, c.content, s.Kind, c.want)
		}
		if err == nil {
			s.Close()
		}
	}
}

// TestWronglyTakenForText: the error names the way out.
func TestWronglyTakenForText(t *testing.T) {
	it := KeyItem(key.U8)
	s, err := Open(ctx, "-", Spec{Item: &it, Stdin: strings.NewReader("ABCD"), KindFlag: "--format"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(ctx, nil); err == nil || !strings.Contains(err.Error(), `"ABCD" is no u8 number; it was taken for text by its content: for raw data give --format raw`) {
		t.Errorf("error %v", err)
	}
}
