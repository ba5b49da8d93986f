package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// member is a file of an archive.
type member struct {
	name, disk string
	mode       fs.FileMode
}

// members are the programs, what share holds (below share/) and the texts.
func (r *release) members(programs []string, share string) (all []member, err error) {
	for _, program := range programs {
		all = append(all, member{filepath.Base(program), program, 0o755})
	}
	for _, text := range []string{"CHANGELOG.md", "LICENSE", "README.md"} {
		all = append(all, member{text, filepath.Join(r.root, text), 0o644})
	}
	err = filepath.WalkDir(share, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(share, p)
		all = append(all, member{"share/" + filepath.ToSlash(rel), p, 0o644})
		return err
	})
	return all, err
}

// archive writes gpusort_VERSION_SYSTEM_PROCESSOR: .zip for Windows, else .tar.gz.
func (r *release) archive(system, processor string, programs []string, share string) error {
	all, err := r.members(programs, share)
	if err != nil {
		return err
	}
	folder := fmt.Sprintf("gpusort_%s_%s_%s", strings.TrimPrefix(r.version, "v"), system, processor)
	pack, end := r.tar, ".tar.gz"
	if system == "windows" {
		pack, end = r.zip, ".zip"
	}
	f, err := os.Create(filepath.Join(r.out, folder+end))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pack(f, folder, all); err != nil {
		return err
	}
	return f.Close()
}

func (r *release) tar(out io.Writer, folder string, all []member) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, m := range all {
		data, err := os.ReadFile(m.disk)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: folder + "/" + m.name, Mode: int64(m.mode), Size: int64(len(data)), ModTime: r.date, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (r *release) zip(out io.Writer, folder string, all []member) error {
	z := zip.NewWriter(out)
	for _, m := range all {
		data, err := os.ReadFile(m.disk)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: folder + "/" + m.name, Method: zip.Deflate, Modified: r.date}
		h.SetMode(m.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// debian writes gpusort_VERSION_PROCESSOR.deb. The programs load the C library, and
// libcuda or libOpenCL where they are.
func (r *release) debian(processor string, programs []string, share string) error {
	var contents files.Contents
	add := func(disk, to string, mode fs.FileMode) {
		contents = append(contents, &files.Content{Source: disk, Destination: to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.date}})
	}
	for _, program := range programs {
		add(program, "/usr/bin/"+filepath.Base(program), 0o755)
	}
	add(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/gpusort/copyright", 0o644)
	add(filepath.Join(share, "bash/gpusort"), "/usr/share/bash-completion/completions/gpusort", 0o644)
	add(filepath.Join(share, "zsh/_gpusort"), "/usr/share/zsh/vendor-completions/_gpusort", 0o644)
	add(filepath.Join(share, "fish/gpusort.fish"), "/usr/share/fish/vendor_completions.d/gpusort.fish", 0o644)
	pages, err := filepath.Glob(filepath.Join(share, "man1/*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		packed := filepath.Join(r.stage, filepath.Base(page)+".gz")
		if err := compress(page, packed); err != nil {
			return err
		}
		add(packed, "/usr/share/man/man1/"+filepath.Base(packed), 0o644)
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "gpusort", Arch: processor, Platform: "linux", Version: r.version, Section: "utils", Priority: "optional",
		Maintainer: "gpusort authors", Homepage: "https://github.com/gpusort/gpusort", License: "Apache-2.0", MTime: r.date,
		Description: "sorts files of numbers on the fastest device present\n" +
			"CUDA, OpenCL or the processor, chosen at run time. The same input gives the\nsame bits on each.",
		Overridables: nfpm.Overridables{
			Depends: []string{"libc6"}, Suggests: []string{"ocl-icd-libopencl1", "libcuda1"}, Contents: contents,
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(r.out, fmt.Sprintf("gpusort_%s_%s.deb", strings.TrimPrefix(r.version, "v"), processor)))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := deb.Default.Package(info, f); err != nil {
		return err
	}
	return f.Close()
}

// compress packs a manual page as Debian wants it: without name and time.
func compress(page, packed string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	f, err := os.Create(packed)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}
