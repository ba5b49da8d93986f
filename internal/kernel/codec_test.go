package kernel

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// codecProgram applies the device header's codec on the host. It reads records
// of width, codec and pattern, 8 bytes each, and writes image and decoded image.
const codecProgram = `
#include "warp/codec.cuh"
#include <cstdio>
template <typename U> void one(gs::u64 codec, gs::u64 x, gs::u64* out) {
  U e = gs::encode<U>(codec, U(x));
  out[0] = e;
  out[1] = gs::decode<U>(codec, e);
}
int main() {
  gs::u64 r[3], out[2];
  while (std::fread(r, 8, 3, stdin) == 3) {
    if (r[0] == 8) one<gs::u8>(r[1], r[2], out);
    if (r[0] == 16) one<gs::u16>(r[1], r[2], out);
    if (r[0] == 32) one<gs::u32>(r[1], r[2], out);
    if (r[0] == 64) one<gs::u64>(r[1], r[2], out);
    std::fwrite(out, 8, 2, stdout);
  }
}
`

// TestCodecMatchesGo compiles the CUDA codec for the host and compares it with
// package key on edge patterns and random ones.
func TestCodecMatchesGo(t *testing.T) {
	gxx, err := exec.LookPath("g++")
	if err != nil {
		absent.Skip(t, "g++", "the device codec cannot be compiled for the host")
	}
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "codec.cc"), filepath.Join(dir, "codec")
	if err := os.WriteFile(src, []byte(codecProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gxx, "-std=c++17", "-O1", "-I", filepath.Join(repo, "kernels/cuda"), "-o", bin, src).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var in bytes.Buffer
	var want []uint64
	add := func(bits int, c key.Codec, x uint64) {
		binary.Write(&in, binary.LittleEndian, []uint64{uint64(bits), uint64(c), x})
		want = append(want, image(bits, c, x), x)
	}
	for _, bits := range []int{8, 16, 32, 64} {
		codecs := []key.Codec{0, 1, 4, 5}
		if bits >= 32 {
			codecs = append(codecs, 2, 3, 6, 7)
		}
		mask := ^uint64(0) >> (64 - bits)
		sign := uint64(1) << (bits - 1)
		inf := uint64(0x7ff) << 52
		if bits == 32 {
			inf = 0xff << 23
		}
		for _, c := range codecs {
			for _, x := range []uint64{0, 1, mask, mask - 1, sign, sign - 1, sign + 1, inf, inf + 1, inf - 1, inf | sign, inf + 1 | sign, inf - 1 | sign} {
				add(bits, c, x&mask)
			}
			for range 500 {
				add(bits, c, r.Uint64()&mask)
			}
		}
	}
	cmd := exec.Command(bin)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint64, len(out)/8)
	binary.Read(bytes.NewReader(out), binary.LittleEndian, got)
	if len(got) != len(want) {
		t.Fatalf("%d words, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("word %d (even: image, odd: decoded) is %#x, want %#x", i, got[i], want[i])
		}
	}
}

func image(bits int, c key.Codec, x uint64) uint64 {
	switch bits {
	case 8:
		return uint64(key.Encode(c, uint8(x)))
	case 16:
		return uint64(key.Encode(c, uint16(x)))
	case 32:
		return uint64(key.Encode(c, uint32(x)))
	}
	return key.Encode(c, x)
}
