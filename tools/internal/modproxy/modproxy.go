// Package modproxy serves the modules of this checkout to the go command as if they
// were tagged, so that what an importer gets can be tested before anything is
// pushed.
package modproxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Root is the path of the library's module; the others lie below it.
const Root = "github.com/gpusort/gpusort"

// Modules are the folders of the modules that go.work ties together.
var Modules = []string{".", "cmd", "cluster", "tools"}

// Path is the module path of a folder of Modules.
func Path(folder string) string {
	if folder == "." {
		return Root
	}
	return Root + "/" + folder
}

// Proxy is a tree of module zips in a folder, and a module cache of its own beside
// it, so that nothing of a trial version stays in the user's cache.
type Proxy struct {
	Dir     string // temporary; the caller removes it
	Version string
	Zips    map[string]int64 // bytes of each module's zip, by module path
	repo    string
}

// New zips Modules of the checkout at repo, as its working tree is (what git tracks
// or would add), and lays them out in dir at the version that they require of each
// other.
func New(repo, dir string) (*Proxy, error) {
	version, err := required(filepath.Join(repo, "cmd", "go.mod"))
	if err != nil {
		return nil, err
	}
	p := &Proxy{Dir: dir, Version: version, Zips: map[string]int64{}, repo: repo}
	tracked, err := Files(repo)
	if err != nil {
		return nil, err
	}
	for _, folder := range Modules {
		if err := p.add(folder, tracked); err != nil {
			return nil, fmt.Errorf("module %s: %w", Path(folder), err)
		}
	}
	return p, nil
}

// Files lists the files of the checkout, slash-separated, relative to repo: tracked
// ones and those that git would add. Deleted ones and links are left out.
func Files(repo string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir, cmd.Stderr = repo, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w", repo, err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(repo, name)); err == nil && info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	return files, nil
}

// add writes the four files of one module.
func (p *Proxy) add(folder string, tracked []string) error {
	var files []zip.File
	prefix := ""
	if folder != "." {
		prefix = folder + "/"
		// The go command gives a module without a licence the repository's.
		files = append(files, file{"LICENSE", filepath.Join(p.repo, "LICENSE")})
	}
	for _, name := range tracked {
		if in, ok := strings.CutPrefix(name, prefix); ok {
			files = append(files, file{in, filepath.Join(p.repo, name)})
		}
	}
	mod := module.Version{Path: Path(folder), Version: p.Version}
	var z bytes.Buffer
	if err := zip.Create(&z, mod, files); err != nil {
		return err
	}
	p.Zips[mod.Path] = int64(z.Len())
	gomod, err := os.ReadFile(filepath.Join(p.repo, folder, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": p.Version})
	if err != nil {
		return err
	}
	at := filepath.Join(p.Dir, "proxy", mod.Path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list": []byte(p.Version + "\n"), p.Version + ".info": info, p.Version + ".mod": gomod, p.Version + ".zip": z.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
