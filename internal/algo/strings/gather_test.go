package strings

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	gostrings "strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestGatherEmulated gathers on the host.
func TestGatherEmulated(t *testing.T) { gathered(t, emulated(t), caps()) }

func gathered(t *testing.T, run runner, c driver.Caps, names ...string) {
	types := []key.Type{key.U32, key.I64, key.I32, key.U64}
	for i, s := range shapesOf(names) {
		f := []form{{width: 4, shift: 0}, {width: 8, before: 5, shift: 3}, {width: 4, before: 1, shift: 6}, {width: 8, shift: 1}}[i%4]
		t.Run(fmt.Sprintf("%s/%+v", s.name, f), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			texts := s.of(r)
			text, offsets := lay(texts, f.before)
			var places []uint64
			for range len(texts) * (1 + i%2) {
				places = append(places, uint64(r.IntN(len(texts))))
			}
			var chosen [][]byte
			for _, p := range places {
				chosen = append(chosen, texts[p])
			}
			wantBytes, wantOffsets := lay(chosen, 0)
			wantBytes = wantBytes[:len(wantBytes)-3]
			room := len(wantBytes) + []int{0, 1, 9000}[i%3]
			out, got, err := gather(t, run, c, text, offsets, places, types[i%4], f, room)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got[:len(wantBytes)], wantBytes) {
				t.Fatal("other bytes")
			}
			if i := bytes.IndexFunc(got[len(wantBytes):], func(r rune) bool { return r != 7 }); i >= 0 {
				t.Fatalf("byte %d behind the strings was written", i)
			}
			for i, w := range wantOffsets {
				if out[i] != w {
					t.Fatalf("offset %d is %d, want %d", i, out[i], w)
				}
			}
		})
	}
}

func gather(t *testing.T, run runner, c driver.Caps, text []byte, offsets, places []uint64, ty key.Type, f form, room int) (out []uint64, got []byte, err error) {
	t.Helper()
	p := plan.Problem{Kind: op.GatherStrings, Type: ty, Items: uint64(len(places)), Other: uint64(len(offsets) - 1), Width: f.width}
	p.Bytes, p.Room = uint64(len(text)), uint64(room)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	pl, err := Gather().Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	data := kerneltest.Regions{kerneltest.Pack(places, ty.Bytes()), kerneltest.Pack(offsets, f.width), text, make([]byte, (len(places)+1)*f.width), bytes.Repeat([]byte{7}, room)}
	width := uint64(f.width)
	shifts := kerneltest.Shifts{uint64(ty.Bytes()), f.shift % 2 * width, f.shift, f.shift % 3 * width, f.shift + 2}
	number, err := record(pl, run(pl, data, shifts))
	if out = unpack(data[3], f.width); err == nil && number != out[len(places)] {
		t.Errorf("the number is %d, the last offset %d", number, out[len(places)])
	}
	return out, data[4], err
}

// TestGatherRefused: what cannot be gathered is told, and no byte is written.
func TestGatherRefused(t *testing.T) { gatherRefused(t, emulated(t), caps()) }

func gatherRefused(t *testing.T, run runner, c driver.Caps) {
	text := bytes.Repeat([]byte("abcdefghij"), 100)
	for _, k := range []struct {
		offsets, places []uint64
		t               key.Type
		room            int
		want            string
	}{
		{[]uint64{0, 3, 10}, []uint64{0, 2}, key.U32, 10, "place 2 is"}, {[]uint64{0, 3, 10}, []uint64{1<<32 - 1}, key.I32, 10, "place -1 is"},
		{[]uint64{0, 3, 10}, []uint64{1 << 40}, key.U64, 10, "place 1099511627776 is"},
		{[]uint64{0, 3, 10}, []uint64{0, 1, 1}, key.U32, 16, "than the 17"}, {[]uint64{0, 1000, 10}, []uint64{0, 1}, key.U32, 2000, "offset 2 is below"},
		{[]uint64{0, 1000, 1001}, []uint64{0, 1}, key.U32, 2000, "offset 2 is beyond"},
	} {
		for _, width := range []int{4, 8} {
			_, got, err := gather(t, run, c, text, k.offsets, k.places, k.t, form{width: width}, k.room)
			if err == nil || !gostrings.Contains(err.Error(), k.want) {
				t.Errorf("%v at %v: %v, want … %s", k.offsets, k.places, err, k.want)
			}
			if !bytes.Equal(got, bytes.Repeat([]byte{7}, k.room)) {
				t.Error("bytes were written")
			}
		}
	}
}
