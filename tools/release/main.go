// Command release builds what a release of gpusort consists of: an archive for each
// of six targets, a Debian package for each of two, a container file and checksums.
// Times are fixed and paths trimmed, so that one commit and Go version should give the
// same bytes. It pushes nothing.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// targets are what archives are made for, as GOOS/GOARCH.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	root := flag.String("root", "../..", "root of the repository")
	version := flag.String("version", "", "release, as v1.2.3")
	out := flag.String("o", "", "folder to write to (default ROOT/build/release)")
	flag.Parse()
	if *out == "" {
		*out = filepath.Join(*root, "build/release")
	}
	if err := run(*root, *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// release is what all files of one release share.
type release struct {
	root, out, version, revision string
	date                         time.Time // of the commit
	stage                        string    // temporary folder
}

func run(root, version, out string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("version %q is not of the form v1.2.3: say make release VERSION=v1.2.3", version)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	r := &release{root: root, out: out, version: version}
	if r.revision, err = r.output("git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	if changed, err := r.output("git", "status", "--porcelain"); err != nil {
		return err
	} else if changed != "" {
		return fmt.Errorf("the working tree differs from its commit; commit first:\n%s", changed)
	}
	stamp, err := r.output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("date of the commit: %w", err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	if r.stage, err = os.MkdirTemp("", "gpusort-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.stage)
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return r.write(stamp)
}

// write makes every file; stamp is the date in seconds.
func (r *release) write(stamp string) error {
	share := filepath.Join(r.stage, "share")
	if _, err := r.output("go", "run", "./cmd/internal/manual", "-o", share, "-version", r.version, "-date", stamp); err != nil {
		return err
	}
	for _, target := range targets {
		system, processor, _ := strings.Cut(target, "/")
		programs, err := r.build(system, processor)
		if err != nil {
			return err
		}
		if err := r.archive(system, processor, programs, share); err != nil {
			return fmt.Errorf("archive for %s: %w", target, err)
		}
		if system == "linux" {
			if err := r.debian(processor, programs, share); err != nil {
				return fmt.Errorf("Debian package for %s: %w", processor, err)
			}
		}
		fmt.Println("built for", target)
	}
	container, err := os.ReadFile(filepath.Join(r.root, "tools/release/Containerfile"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "Containerfile"), container, 0o644); err != nil {
		return err
	}
	return r.checksums()
}

// packages are those of the command: its other programs stand beside the first.
var packages = []string{"./cmd/gpusort", "./cmd/gpusort-tables", "./cluster/cmd/gpusort-cluster"}

// build compiles the command and returns its programs' paths.
func (r *release) build(system, processor string) (programs []string, err error) {
	dir, end := filepath.Join(r.stage, system+"_"+processor), ""
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if system == "windows" {
		end = ".exe"
	}
	flags := "-s -w -buildid= -X github.com/gpusort/gpusort/cmd/internal/cli.Version=" + r.version +
		" -X github.com/gpusort/gpusort/cmd/lab/run.Revision=" + r.revision
	cmd := r.command("go", append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", dir + "/"}, packages...)...)
	cmd.Env = append(cmd.Env, "GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s/%s: %w\n%s", system, processor, err, out)
	}
	for _, p := range packages {
		programs = append(programs, filepath.Join(dir, path.Base(p)+end))
	}
	return programs, nil
}

// command prepares a program that runs in the root of the repository, without what
// the user's settings would change in a build.
func (r *release) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK="+filepath.Join(r.root, "go.work"))
	return cmd
}

// output runs a program and returns what it prints, without the last line's end.
func (r *release) output(name string, args ...string) (string, error) {
	cmd := r.command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// checksums writes SHA256SUMS over all other files, as sha256sum -c reads it.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), e.Name()))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
