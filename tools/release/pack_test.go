package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blakesmith/ar"
)

// example is a release of made-up texts, and a program and share folder for it. The
// files' own times are later by age, which no archive may show.
func example(t *testing.T, age time.Duration) (r *release, program, share string) {
	t.Helper()
	dir := t.TempDir()
	r = &release{
		root: filepath.Join(dir, "root"), out: filepath.Join(dir, "out"), stage: filepath.Join(dir, "stage"),
		version: "v1.2.3", revision: "0123abc", date: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC),
	}
	program, share = filepath.Join(r.stage, "gpusort"), filepath.Join(r.stage, "share")
	for name, text := range map[string]string{
		filepath.Join(r.root, "CHANGELOG.md"):       "changes\n",
		filepath.Join(r.root, "LICENSE"):            "licence\n",
		filepath.Join(r.root, "README.md"):          "readme\n",
		program:                                     strings.Repeat("program ", 1000),
		filepath.Join(share, "man1/gpusort.1"):      ".TH gpusort 1\n",
		filepath.Join(share, "man1/gpusort-sort.1"): ".TH gpusort-sort 1\n",
		filepath.Join(share, "bash/gpusort"):        "complete gpusort\n",
		filepath.Join(share, "zsh/_gpusort"):        "#compdef gpusort\n",
		filepath.Join(share, "fish/gpusort.fish"):   "complete -c gpusort\n",
		filepath.Join(r.out, "Containerfile"):       "FROM scratch\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(age)); err != nil {
			t.Fatal(err)
		}
	}
	return r, program, share
}

// pack makes the archives and Debian packages of an example and returns their bytes by
// name, the checksums among them.
func pack(t *testing.T, age time.Duration) map[string][]byte {
	t.Helper()
	r, program, share := example(t, age)
	for _, system := range []string{"linux", "windows"} {
		if err := r.archive(system, "amd64", []string{program}, share); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.debian("arm64", []string{program}, share); err != nil {
		t.Fatal(err)
	}
	if err := r.checksums(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(r.out, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

const (
	tarName = "gpusort_1.2.3_linux_amd64.tar.gz"
	zipName = "gpusort_1.2.3_windows_amd64.zip"
	debName = "gpusort_1.2.3_arm64.deb"
)

// TestSameBytes packs equal files of different times, in different folders.
func TestSameBytes(t *testing.T) {
	first, second := pack(t, 0), pack(t, 49*time.Hour)
	if len(first) != len(second) {
		t.Fatalf("%d files, then %d", len(first), len(second))
	}
	for name, data := range first {
		if !bytes.Equal(data, second[name]) {
			t.Errorf("%s differs between two runs", name)
		}
	}
}

var inArchive = []string{
	"CHANGELOG.md", "LICENSE", "README.md", "gpusort", "share/bash/gpusort", "share/fish/gpusort.fish",
	"share/man1/gpusort-sort.1", "share/man1/gpusort.1", "share/zsh/_gpusort",
}

func TestMembers(t *testing.T) {
	files := pack(t, 0)
	var names []string
	z, err := gzip.NewReader(bytes.NewReader(files[tarName]))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, inFolder := strings.CutPrefix(h.Name, "gpusort_1.2.3_linux_amd64/")
		if !inFolder {
			t.Errorf("%s is not in the archive's folder", h.Name)
		}
		if executable := h.Mode == 0o755; executable != (name == "gpusort") || !executable && h.Mode != 0o644 {
			t.Errorf("%s has mode %o", name, h.Mode)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if !slices.Equal(names, inArchive) {
		t.Errorf("the .tar.gz holds %q", names)
	}

	w, err := zip.NewReader(bytes.NewReader(files[zipName]), int64(len(files[zipName])))
	if err != nil {
		t.Fatal(err)
	}
	names = nil
	for _, f := range w.File {
		names = append(names, strings.TrimPrefix(f.Name, "gpusort_1.2.3_windows_amd64/"))
	}
	slices.Sort(names)
	if !slices.Equal(names, inArchive) {
		t.Errorf("the .zip holds %q", names)
	}
}

// TestDebian reads the package: what it says of itself, and its files with their modes.
func TestDebian(t *testing.T) {
	r := ar.NewReader(bytes.NewReader(pack(t, 0)[debName]))
	control, files := "", map[string]int64{}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".tar.gz") {
			continue
		}
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatalf("%s: %v", h.Name, err)
		}
		for in := tar.NewReader(z); ; {
			m, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", h.Name, err)
			}
			if m.Name == "./control" {
				text, err := io.ReadAll(in)
				if err != nil {
					t.Fatal(err)
				}
				control = string(text)
			} else if m.Typeflag == tar.TypeReg && h.Name != "control.tar.gz" {
				files[m.Name] = m.Mode
			}
		}
	}
	for _, want := range []string{"Package: gpusort", "Version: 1.2.3", "Architecture: arm64", "Depends: libc6"} {
		if !strings.Contains(control, want+"\n") {
			t.Errorf("the package does not say %q:\n%s", want, control)
		}
	}
	for name, mode := range map[string]int64{
		"./usr/bin/gpusort": 0o755, "./usr/share/man/man1/gpusort-sort.1.gz": 0o644, "./usr/share/doc/gpusort/copyright": 0o644,
		"./usr/share/bash-completion/completions/gpusort": 0o644,
	} {
		if got, there := files[name]; !there || got&0o777 != mode {
			t.Errorf("%s: in the package %v, mode %o", name, there, got)
		}
	}
}

// TestChecksums holds SHA256SUMS against the files, each of which must have a line.
func TestChecksums(t *testing.T) {
	files := pack(t, 0)
	var want []string
	for name, data := range files {
		if name != "SHA256SUMS" {
			sum := sha256.Sum256(data)
			want = append(want, hex.EncodeToString(sum[:])+"  "+name)
		}
	}
	got := strings.Split(strings.TrimSuffix(string(files["SHA256SUMS"]), "\n"), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("SHA256SUMS:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestVersionForm(t *testing.T) {
	for version, ok := range map[string]bool{
		"v1.2.3": true, "v0.1.0-rc.1": true, "": false, "1.2.3": false, "v1.2": false, "v1.2.3 ": false, "v1.2.3-": false, "v1.2.3/x": false,
	} {
		if got := versionForm.MatchString(version); got != ok {
			t.Errorf("version %q accepted: %v", version, got)
		}
	}
}
