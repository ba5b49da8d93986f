package recordkey

import "testing"

// TestLeading: only bytes at the beginning, in rising order and without a second key, need no key made.
func TestLeading(t *testing.T) {
	for text, want := range map[string]bool{"0:10": true, "0:20:bytes": true, "1:10": false, "0:10:desc": false, "0:4:u32be": false, "0:1:u8": false} {
		r := Records{Size: 20, Fields: []Field{field(t, text)}}
		l, ok := r.Leading()
		if ok != want {
			t.Errorf("%s: %v", text, ok)
		}
		if ok && (l.Encoder() != nil || l.Delimiter() != 20-r.Fields[0].To) {
			t.Errorf("%s: %d bytes are not compared", text, l.Delimiter())
		}
		r.Fields = append(r.Fields, field(t, "12:13"))
		if _, ok := r.Leading(); ok {
			t.Errorf("%s and another key: one counts", text)
		}
	}
	if _, ok := (Records{Size: 20}).Leading(); ok {
		t.Error("records without keys have one")
	}
}
