package main

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/tools/internal/modproxy"
)

// binary is a program that was built.
type binary struct {
	path string
	data []byte
}

func readBinary(path string) (binary, error) {
	data, err := os.ReadFile(path)
	return binary{path, data}, err
}

func (b binary) size(what string, bound int64) row {
	return row{what: what, measured: int64(len(b.data)), bound: bound, unit: "MB"}
}

// runs executes the program.
func (b binary) runs(args ...string) error {
	if out, err := exec.Command(b.path, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", b.path, args, err, out)
	}
	return nil
}

// needs lists the libraries that an ELF program loads and its interpreter; a static
// one has none.
func (b binary) needs() ([]string, error) {
	f, err := elf.NewFile(bytes.NewReader(b.data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.path, err)
	}
	var needs []string
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP {
			needs = append(needs, "an interpreter")
		}
	}
	if f.Section(".dynamic") == nil {
		return needs, nil
	}
	libraries, err := f.ImportedLibraries()
	return append(needs, libraries...), err
}

// images are the stretches by which embedded device code is found: of each image
// some bytes of its middle, as it is stored and as it is unpacked.
type images []struct{ packed, plain []byte }

// in counts the images that data has.
func (im images) in(data []byte) int {
	n := 0
	for _, i := range im {
		if bytes.Contains(data, i.packed) || bytes.Contains(data, i.plain) {
			n++
		}
	}
	return n
}

func readImages(repo string) (images, error) {
	names, err := filepath.Glob(filepath.Join(repo, "internal/kernel/embed/*.zst"))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no device code in %s/internal/kernel/embed (%v)", repo, err)
	}
	var all images
	for _, name := range names {
		packed, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		plain, err := kernel.Unpack(packed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, struct{ packed, plain []byte }{middle(packed), middle(plain)})
	}
	return all, nil
}

// middle is the 256 bytes in the middle of data, or all of it.
func middle(data []byte) []byte {
	at := max(0, len(data)/2-128)
	return data[at:min(len(data), at+256)]
}

// importer is a module that uses a package of the library.
type importer struct {
	p   *modproxy.Proxy
	dir string
}

// newImporter writes a program that sorts by the package, and gets the library for
// it as a user does.
func newImporter(p *modproxy.Proxy, name, path string) (importer, error) {
	i := importer{p, filepath.Join(p.Dir, name)}
	if err := os.MkdirAll(i.dir, 0o755); err != nil {
		return i, err
	}
	source := fmt.Sprintf("package main\n\nimport sorts %q\n\nfunc main() {\n\tx := []uint32{2, 1}\n"+
		"\tsorts.Sort(x)\n\tif x[0] != 1 {\n\t\tpanic(x)\n\t}\n}\n", path)
	if err := os.WriteFile(filepath.Join(i.dir, "main.go"), []byte(source), 0o644); err != nil {
		return i, err
	}
	for _, args := range [][]string{{"mod", "init", "example.com/" + name}, {"get", modproxy.Root + "@" + p.Version}, {"mod", "tidy"}} {
		if _, err := p.Go(i.dir, nil, args...); err != nil {
			return i, err
		}
	}
	return i, nil
}

// build builds the program without symbols and runs it.
func (i importer) build() (binary, error) {
	out := filepath.Join(i.dir, "program")
	if _, err := i.p.Go(i.dir, nil, "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "."); err != nil {
		return binary{}, err
	}
	b, err := readBinary(out)
	if err != nil {
		return b, err
	}
	return b, b.runs()
}
