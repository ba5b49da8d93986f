package extent

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// TestFile: a file has what was written, whatever room was reserved, and no length beyond it.
func TestFile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, firstRoom - 1, firstRoom, firstRoom + 1, 5<<20 + 3} {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(r.Uint32())
		}
		x := New(f)
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(700<<10))
			if k, err := x.Write(rest[:n]); k != n || err != nil {
				t.Fatal(k, err)
			}
			rest = rest[n:]
		}
		if st, err := f.Stat(); err != nil || st.Size() != int64(size) {
			t.Errorf("%d bytes: %v, %v", size, st.Size(), err)
		}
		if err := x.Trim(); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
}

// TestClosed: the error of a write is that of the file, with or without room.
func TestClosed(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	x := New(f)
	for range 3 {
		if n, err := x.Write(make([]byte, firstRoom+1)); n != 0 || err == nil {
			t.Error(n, err)
		}
	}
}
