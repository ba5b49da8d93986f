package modproxy

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Go runs the go command in a folder outside the workspace, with this proxy before
// the user's module cache and the user's own proxies: what the cache has needs no
// network. Env, of the form NAME=VALUE, is added to the environment. It returns
// standard output; an error has what went to standard error.
func (p *Proxy) Go(folder string, env []string, args ...string) (string, error) {
	var out, report strings.Builder
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &report
	base, err := p.env()
	if err != nil {
		return "", err
	}
	cmd.Env = append(base, env...)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, report.String())
	}
	return out.String(), nil
}

// env is the environment of Go.
func (p *Proxy) env() ([]string, error) {
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	was := strings.Split(strings.TrimSpace(string(out)), "\n")
	proxies := []string{fileURL(filepath.Join(p.Dir, "proxy")), fileURL(filepath.Join(was[0], "cache", "download")), was[1]}
	return append(os.Environ(),
		"GOPROXY="+strings.Join(proxies, ","),
		"GOMODCACHE="+filepath.Join(p.Dir, "cache"),
		"GOFLAGS=-modcacherw", // so that the folder can be removed
		"GOWORK=off", "GOSUMDB=off", "GOENV=off", "GOPRIVATE=", "GONOPROXY=", "GOTOOLCHAIN=local", "CGO_ENABLED=0",
	), nil
}

func fileURL(dir string) string { return "file://" + filepath.ToSlash(dir) }

// required reads at which version a go.mod requires the library.
func required(gomod string) (string, error) {
	f, err := parse(gomod)
	if err != nil {
		return "", err
	}
	for _, r := range f.Require {
		if r.Mod.Path == Root {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", gomod, Root)
}

func parse(gomod string) (*modfile.File, error) {
	data, err := os.ReadFile(gomod)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(gomod, data, nil)
}

// Replaced names a replace or exclude line of a module's go.mod: with one, "go
// install" refuses a version of it. It is empty where there is none.
func Replaced(repo, folder string) (string, error) {
	f, err := parse(filepath.Join(repo, folder, "go.mod"))
	if err != nil {
		return "", err
	}
	switch {
	case len(f.Replace) != 0:
		return "replace " + f.Replace[0].Old.Path, nil
	case len(f.Exclude) != 0:
		return "exclude " + f.Exclude[0].Mod.Path, nil
	}
	return "", nil
}

// file is a file of a module: its path there, and where it lies on disk.
type file struct{ path, disk string }

func (f file) Path() string                 { return f.path }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.disk) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.disk) }
