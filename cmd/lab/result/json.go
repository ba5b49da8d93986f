package result

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// WriteJSON appends one record as a line.
func WriteJSON(w io.Writer, r Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("result %s: %w", r.Case, err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ReadJSON reads JSON lines to the end. A last line without a newline that is
// no complete record is what an interrupted run leaves: it is dropped. Any
// other bad line, or a newer schema, is an error that names the line.
func ReadJSON(r io.Reader) ([]Record, error) {
	var out []Record
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		last := err != nil
		if text := bytes.TrimSpace(line); len(text) > 0 {
			var rec Record
			switch err := json.Unmarshal(text, &rec); {
			case err != nil && last:
				return out, nil
			case err != nil:
				return nil, fmt.Errorf("line %d is no record: %w", n, err)
			case rec.Schema < 1 || rec.Schema > Schema:
				return nil, fmt.Errorf("line %d has schema %d, this program reads 1 to %d", n, rec.Schema, Schema)
			}
			out = append(out, rec)
		}
		if last {
			return out, nil
		}
	}
}

// Content reads a whole file, unpacked if it is one of gzip.
func Content(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err == nil {
		text, err = io.ReadAll(z)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: unpack: %w", path, err)
	}
	return text, nil
}

// ReadFile reads a file of JSON lines, plain or packed by gzip.
func ReadFile(path string) ([]Record, error) {
	text, err := Content(path)
	if err != nil {
		return nil, err
	}
	recs, err := ReadJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return recs, nil
}
