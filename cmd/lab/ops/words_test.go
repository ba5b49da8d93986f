package ops

import (
	"hash/maphash"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/op"
)

// TestWordsTask: what a device is given are the words, and only their stable order passes.
func TestWordsTask(t *testing.T) {
	w := &words{spec: Spec{Op: "strings", Items: 6, StringLen: 2}}
	w.in = []string{"bb", "aa", "bb", "ca", "aa", "ab"}
	w.x = make([]string, 6)
	d, err := w.spec.Device()
	if err != nil || d.Validate() != nil || d.Kind != op.Strings {
		t.Fatalf("%+v: %v, %v", d, err, d.Validate())
	}
	task := w.Task()
	for i, e := range d.Extents() {
		if e.Use.Reads() && uint64(len(task.In[i])) != e.Bytes {
			t.Errorf("region %d has %d bytes, want %d", i, len(task.In[i]), e.Bytes)
		}
	}
	at := items[uint32](task.In[op.OtherIO])
	for i, word := range w.in {
		if got := string(task.In[op.KeysIO][at[i]:at[i+1]]); got != word {
			t.Errorf("word %d is %q, want %q", i, got, word)
		}
	}
	for _, c := range []struct {
		order []uint32
		want  string
	}{
		{[]uint32{1, 4, 5, 0, 2, 3}, ""}, {[]uint32{4, 1, 5, 0, 2, 3}, "equal words"}, {[]uint32{1, 4, 5, 0, 0, 3}, "which came before"},
		{[]uint32{1, 5, 4, 0, 2, 3}, "word"}, {[]uint32{1, 4, 5, 0, 2, 6}, "place 5 of the order is 6"},
	} {
		err := task.Check(0, [op.MostRegions][]byte{op.ValuesIO: raw(c.order)}, false)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want … %s", c.order, err, c.want)
		}
	}
}

// TestWordsKept: words in order, but others than came, do not pass.
func TestWordsKept(t *testing.T) {
	in, key := []string{"b", "a", "b"}, maphash.MakeSeed()
	for _, c := range []struct {
		x    []string
		kept bool
	}{{[]string{"a", "b", "b"}, true}, {[]string{"a", "a", "b"}, false}, {[]string{"a", "b", ""}, false}} {
		if got := sum(c.x, key) == sum(in, key); got != c.kept {
			t.Errorf("%q of %q: %v", c.x, in, got)
		}
	}
	if w := (&words{x: []string{"a", "c", "b"}}); w.ascending() == nil {
		t.Errorf("%q is in order", w.x)
	}
}
