package wire

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	want := Frame{Op: OpSort, Nonce: [16]byte{1, 15: 9}, A: 1 << 63, Text: []byte("why")}
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	raw := bytes.Clone(b.Bytes())
	got, err := Read(&b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range raw {
		if _, err := Read(bytes.NewReader(raw[:n])); err == nil {
			t.Errorf("%d of %d bytes are a frame", n, len(raw))
		}
	}
	raw[7] = 0xff // a text of gigabytes is not made room for
	if _, err := Read(bytes.NewReader(raw)); err == nil || !strings.Contains(err.Error(), "a message of") {
		t.Errorf("%v", err)
	}
}

// TestLayout checks that guards of no two regions meet and that all lies in
// the memory, at pages.
func TestLayout(t *testing.T) {
	for _, n := range []uint64{0, 1, 511, 512, 513, 1 << 20} {
		l := LayoutOf(Job{Spec: op.Spec{Type: key.U64, Mode: op.Pairs, ValueBytes: 4, Items: n}, TempLimit: 3})
		end := uint64(0)
		for _, r := range []Region{l.Keys, l.Alt, l.Values, l.ValuesAlt, l.Temp} {
			if r.Off%Guard != 0 || r.Off < end+Guard {
				t.Errorf("n = %d: %+v", n, l)
			}
			end = r.Off + r.Bytes + Guard
		}
		if end > l.Bytes || l.Keys.Bytes != 8*n || l.ValuesAlt.Bytes != 4*n || l.Temp.Bytes != 3 {
			t.Errorf("n = %d: %+v", n, l)
		}
	}
}
