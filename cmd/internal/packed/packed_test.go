package packed

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/ulikunitz/xz"
)

var errClosed = errors.New("closed")

// closing tells that it was closed.
type closing struct{ io.Reader }

func (closing) Close() error { return errClosed }

func unpack(t *testing.T, k Kind, b []byte) ([]byte, error) {
	t.Helper()
	r, err := NewReader(k, closing{bytes.NewReader(b)})
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(r)
	if e := r.Close(); e != errClosed {
		t.Errorf("%v: closed with %v", k, e)
	}
	return out, err
}

func someText(n int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdef\n 0123"[r.IntN(12)]
	}
	return b
}

func pack(t *testing.T, k Kind, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(k, &out)
	if k == XZ {
		w, err = xz.NewWriter(&out)
	}
	if k == Bzip2 {
		c := exec.Command("bzip2")
		c.Stdin, c.Stdout = bytes.NewReader(b), &out
		if err := c.Run(); err != nil {
			absent.Skip(t, "bzip2", "%v", err)
		}
		return out.Bytes()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestKinds: what is packed is known by its head and comes back, in one stream or several.
func TestKinds(t *testing.T) {
	for k := Gzip; k <= XZ; k++ {
		t.Run(k.String(), func(t *testing.T) {
			for _, n := range []int{0, 1, 300000} {
				want := someText(n)
				b := pack(t, k, want)
				if got := Of(b[:min(len(b), HeadBytes)]); got != k {
					t.Errorf("%d bytes: taken for %v", n, got)
				}
				got, err := unpack(t, k, append(bytes.Clone(b), b...))
				if err != nil || !bytes.Equal(got, append(bytes.Clone(want), want...)) {
					t.Errorf("twice %d bytes: %d, %v", n, len(got), err)
				}
			}
		})
	}
}

// TestProgram: what the programs pack is unpacked, and what is packed they unpack.
func TestProgram(t *testing.T) {
	want := someText(300000)
	for k, args := range map[Kind][][]string{Gzip: {{"-1"}, {"-9"}}, Zstd: {{"-1"}, {"-19", "--long=24"}}, LZ4: {{"-1"}, {"-BD"}}, Bzip2: {{"-1"}}, XZ: {{"-0"}, {"-9"}, {"-T2", "--block-size=64KiB"}}} {
		t.Run(k.String(), func(t *testing.T) {
			if _, err := exec.LookPath(k.String()); err != nil {
				absent.Skip(t, k.String(), "%v", err)
			}
			for _, a := range args {
				c := exec.Command(k.String(), append(a, "-c")...)
				c.Stdin = bytes.NewReader(want)
				b, err := c.Output()
				if err != nil {
					t.Fatal(err)
				}
				if got, err := unpack(t, k, b); err != nil || !bytes.Equal(got, want) || Of(b[:HeadBytes]) != k {
					t.Errorf("%v: %d bytes, %v", a, len(got), err)
				}
				if a[0] == "-9" && k == XZ && WindowOf(k, b[:HeadBytes]) != 64<<20 || len(a) > 1 && k == Zstd && WindowOf(k, b[:HeadBytes]) != 1<<24 {
					t.Errorf("%v: a window of %d", a, WindowOf(k, b[:HeadBytes]))
				}
			}
			if k > LZ4 {
				return
			}
			c := exec.Command(k.String(), "-dc")
			c.Stdin = bytes.NewReader(pack(t, k, want))
			if got, err := c.Output(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// TestDamage: a stream that is cut off, or has a wrong byte, ends with an error, or with all
// that was packed.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	want := someText(5000)
	for k := Gzip; k <= XZ; k++ {
		t.Run(k.String(), func(t *testing.T) {
			b := pack(t, k, want)
			step := 20
			if testing.Short() {
				step = 200
			}
			for cut := len(b) - 1; cut > 0; cut -= 1 + r.IntN(1+min(step, len(b)-cut)) {
				got, err := unpack(t, k, b[:cut])
				if err == nil || !strings.Contains(err.Error(), k.String()+" data") {
					t.Errorf("cut at %d of %d: %d bytes, %v", cut, len(b), len(got), err)
				}
				wrong := bytes.Clone(b)
				wrong[cut] ^= 1 << r.IntN(8)
				if got, err := unpack(t, k, wrong); err == nil && !bytes.Equal(got, want) {
					t.Errorf("byte %d of %d wrong: %d bytes without an error", cut, len(b), len(got))
				}
			}
		})
	}
}

// TestBehind: zeros behind gzip data are a tape's, as gzip has it; what else stands there is
// told, and never left out in silence.
func TestBehind(t *testing.T) {
	want := someText(3000)
	packed := pack(t, Gzip, want)
	zeros := make([]byte, 600000)
	for tail, says := range map[string]string{
		"": "", "\x00": "", string(zeros): "", string(packed): "twice",
		"g": "other bytes", "other": "other bytes", "\x1fother": "other bytes", string(zeros) + "x": "other bytes",
		string(zeros) + string(packed): "other bytes", "\x1f": "cut off", "\x1f\x8b": "cut off", string(packed[:len(packed)-1]): "cut off", "\x1f\x8b another": "damaged",
	} {
		got, err := unpack(t, Gzip, append(bytes.Clone(packed), tail...))
		all := want
		if says == "twice" {
			all, says = append(bytes.Clone(want), want...), ""
		}
		if says == "" && (err != nil || !bytes.Equal(got, all)) || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%d bytes behind, %.20q: %d bytes, %v; want %q", len(tail), tail, len(got), err, says)
		}
	}
	for k := Zstd; k <= XZ; k++ {
		for _, tail := range []string{"g", "other bytes than those of the kind"} {
			if got, err := unpack(t, k, append(pack(t, k, want), tail...)); err == nil {
				t.Errorf("%v and %q: %d bytes without an error", k, tail, len(got))
			}
		}
	}
}

// TestNotPacked: text is text, whatever it begins with.
func TestNotPacked(t *testing.T) {
	for _, s := range []string{"", "B", "BZh", "BZh91AY&SY are letters, as all of this is\n", "BZhello", "\x1f\x8b", "\x1f\x8b\x08\xff 90 bytes of something else", "7zXZ", "gzip", "\x04\x22\x4d"} {
		if k := Of([]byte(s)); k != None {
			t.Errorf("%q is taken for %v", s, k)
		}
	}
	for head, want := range map[string]bool{"": true, "B": true, "BZh91A": true, "a": false, "\x1f\x8b": true, "\x1f\x8c": false, "BZx": false, "\x04\x22\x4d\x18": true} {
		if Begins([]byte(head)) != want {
			t.Errorf("%q: %v", head, !want)
		}
	}
	for name, want := range map[string]Kind{"a.gz": Gzip, "a.GZ": Gzip, "a.zst": Zstd, "a.lz4": LZ4, ".gz": None, "a.xz": XZ, "a.bz2": Bzip2, "gz": None, "a.gz.txt": None} {
		if got := ByName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if _, err := NewWriter(XZ, io.Discard); err == nil {
		t.Error("xz is written")
	}
}
