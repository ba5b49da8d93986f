package table

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowSchemaKey is the key-value metadata in which writers of Arrow keep the Arrow types of columns.
const arrowSchemaKey = "ARROW:schema"

// withWideIndices is metadata whose Arrow schema has dictionaries with indices of 32 bits in place of fewer.
// A reader that makes such dictionaries of joined row groups fails where their entries are more than the
// indices number. Columns are not concerned: in Parquet pages have dictionaries.
func withWideIndices(all metadata.KeyValueMetadata) metadata.KeyValueMetadata {
	for i, pair := range all {
		if pair.Key != arrowSchemaKey || pair.Value == nil {
			continue
		}
		if wide, ok := wideIndices(*pair.Value); ok {
			all = slices.Clone(all)
			changed := *pair
			changed.Value = &wide
			all[i] = &changed
		}
	}
	return all
}

// wideIndices changes a schema message in base64; ok is false if there is nothing to change.
func wideIndices(text string) (wide string, ok bool) {
	encoding := base64.StdEncoding
	b, err := encoding.DecodeString(text)
	if err != nil {
		encoding = base64.RawStdEncoding
		if b, err = encoding.DecodeString(text); err != nil {
			return "", false
		}
	}
	err = caught(func() error {
		head := 4
		if binary.LittleEndian.Uint32(b) == continuation {
			head = 8
		}
		schema, _ := tableIn(rootTable(b[head:]), 2)
		return eachField(schema, func(field flatbuffers.Table) error {
			dictionary, coded := tableIn(field, 4)
			if !coded {
				return nil
			}
			if index, has := tableIn(dictionary, 1); has {
				if bits := int32At(index, 0); bits > 0 && bits < 32 {
					index.MutateInt32(index.Pos+member(index, 0), 32)
					ok = true
				}
			}
			return nil
		})
	})
	return encoding.EncodeToString(b), ok && err == nil
}
