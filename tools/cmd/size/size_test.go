package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/gpusort/gpusort/internal/check/absent"
)

func TestRowsHoldTheirBounds(t *testing.T) {
	within := []row{
		{what: "at its bound", measured: 10, bound: 10, unit: "lines"},
		{what: "not measured", measured: 11, bound: 10, unit: "lines", skipped: "a reason"},
	}
	if !print(within) {
		t.Error("rows within their bounds are refused")
	}
	if print(append(within, row{what: "one too many", measured: 11, bound: 10, unit: "lines"})) {
		t.Error("a row past its bound passes")
	}
}

// TestImagesAreFound looks for a device image in programs that have it packed,
// unpacked, and not at all.
func TestImagesAreFound(t *testing.T) {
	repo := t.TempDir()
	folder := filepath.Join(repo, "internal/kernel/embed")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	plain, other := make([]byte, 5000), make([]byte, 5000)
	rand.Read(plain)
	rand.Read(other)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(plain, nil)
	if err := os.WriteFile(filepath.Join(folder, "module.zst"), packed, 0o644); err != nil {
		t.Fatal(err)
	}
	im, err := readImages(repo)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		program []byte
		want    int
	}{
		"packed": {append(other[:100:100], packed...), 1}, "unpacked": {append(other[:100:100], plain...), 1}, "without": {other, 0},
	} {
		if got := im.in(c.program); got != c.want {
			t.Errorf("%s: %d images found, want %d", what, got, c.want)
		}
	}
	if _, err := readImages(t.TempDir()); err == nil {
		t.Error("a checkout without device code is no error: every program would pass")
	}
}

// TestNeeds reads this test's own program, which is static, and one of the system's.
func TestNeeds(t *testing.T) {
	self, err := readBinary(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if needs, err := self.needs(); err != nil || len(needs) != 0 {
		absent.Skip(t, "a static ELF program", "CGO_ENABLED=0 on Linux makes one of this test: %q, %v", needs, err)
	}
	linked, err := readBinary("/bin/sh")
	if err != nil {
		absent.Skip(t, "sh", "no dynamic program to look at: %v", err)
	}
	if needs, err := linked.needs(); err != nil || len(needs) < 2 {
		t.Errorf("/bin/sh needs %q, %v; want an interpreter and a library", needs, err)
	}
}
