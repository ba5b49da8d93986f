//go:build amd64 || arm64

package grade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/cmd/lab/grade/child"
	"github.com/gpusort/gpusort/cmd/lab/grade/sandbox"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// supported reports that this system can grade.
func supported() error { return nil }

// openPlain opens no link, and does not wait for a pipe's other end.
const openPlain = unix.O_NOFOLLOW | unix.O_NONBLOCK

// hide keeps this process's memory from submissions that are processes of the
// same user and see it. Those in namespaces do not; and the kernel would refuse an
// ordinary user's hidden process namespaces for its children, whose files in /proc
// are root's then.
func hide(l sandbox.Layers) error {
	if l.Namespaces {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the grader's memory from other processes: %w", err)
	}
	return nil
}

// confiner is what the processes of a grading are confined by, beside namespaces.
type confiner struct {
	groups *sandbox.Groups // nil where the machine gives none
}

// confinement finds out what can confine a submission here.
func (g *grader) confinement(ctx context.Context) error {
	if g.o.Unconfined {
		g.layers = sandbox.Layers{Why: "--unconfined"}
	} else {
		dir, err := g.folder()
		if err != nil {
			return err
		}
		g.layers = sandbox.Probe(ctx, g.o.Command, dir)
		if g.groups, err = sandbox.OpenGroups(); err != nil {
			g.layers.NoCgroup = err.Error()
		}
		g.layers.Cgroup = g.groups != nil
	}
	if err := hide(g.layers); err != nil {
		g.leave()
		return err
	}
	g.rep.Confinement = Confinement{Whole: g.layers.Whole(), Has: g.layers.Has(), Lacks: g.layers.Lacks()}
	if g.o.RequireSandbox && !g.layers.Whole() {
		g.leave()
		return fmt.Errorf("this machine cannot confine a submission: it lacks %s; allow user namespaces to this user, or go without --require-sandbox",
			strings.Join(g.layers.Lacks(), ", "))
	}
	return nil
}

// leave gives back the control group of this process, and undoes hide: the next
// grading is to find namespaces.
func (g confiner) leave() {
	// What is left is an empty group, which hinders nobody, or memory that cannot be
	// dumped.
	_ = g.groups.Close()
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
}

// folder makes an empty folder for one process.
func (g *grader) folder() (string, error) {
	dir, err := os.MkdirTemp(g.dir, "")
	if err != nil {
		return "", err
	}
	// A process of another user must find its way to its folder, and no more.
	return dir, os.Chmod(g.dir, 0o711)
}

// limits are what a process may take.
type limits struct {
	room, memory uint64
	addresses    uint64
	group        uint64 // memory of the process, its files and what it shares
	gpu          bool
	cpus         int
	read         []string
}

// confined is a process that can be started, and what it is kept in.
type confined struct {
	cmd   *exec.Cmd
	dir   string
	group *sandbox.Group
}

// close removes what was made for a process that was not started, or has ended.
func (c confined) close() {
	// Processes that it left behind end here; what then remains is empty.
	_ = c.group.Close()
	if c.dir != "" {
		_ = os.RemoveAll(c.dir)
	}
}

// command prepares a confined process of this program, which the caller closes,
// whatever the error.
func (g *grader) command(ctx context.Context, l limits, args ...string) (p confined, err error) {
	dir, err := g.folder()
	if err != nil {
		return p, err
	}
	p.dir = dir
	s := sandbox.Spec{
		Dir: dir, Namespaces: g.layers.Namespaces, OwnUser: g.layers.OwnUser, GPU: l.gpu, CPUs: l.cpus, Files: wire.Files,
		Read: append(readable(), l.read...), Room: l.room, Memory: l.memory, Addresses: l.addresses, Threads: uint64(256 + 4*runtime.NumCPU()),
		// What the clock should have stopped long before.
		Seconds: uint64(runtime.NumCPU()) * uint64(1+(time.Duration(g.r.TotalLimit)+time.Duration(g.r.StartLimit))/time.Second),
	}
	c := exec.CommandContext(ctx, g.o.Command[0], append(slices.Clone(g.o.Command[1:]), args...)...)
	c.Env = environment(s.Temp())
	c.Dir = dir
	// What a compiler that it started still holds of the output is not waited for.
	c.WaitDelay = time.Second
	p.cmd = c
	if err = sandbox.Confine(c, s); err != nil || g.groups == nil {
		return p, err
	}
	if p.group, err = g.groups.New(l.group, s.Threads); err == nil {
		p.group.Hold(c)
	}
	return p, err
}

// sealed returns a file in memory with the given content, which nobody changes.
func sealed(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = f.Write(content); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE|unix.F_SEAL_SEAL)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// compile compiles CUDA C++ in a confined process. messages are the compiler's,
// where it refused the source.
func (g *grader) compile(ctx context.Context, read []string, compiler, name, source string, options ...string) (binary []byte, messages string, err error) {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	p, err := g.command(ctx, limits{room: 2 << 30, memory: compileMemory, group: compileMemory + 2<<30, gpu: true, read: read}, append([]string{child.CompileCommand, compiler, name}, options...)...)
	defer func() { p.close() }()
	if err != nil {
		return nil, "", err
	}
	c := p.cmd
	text, err := sealed(name, []byte(source))
	if err != nil {
		return nil, "", err
	}
	defer text.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer outR.Close()
	var said excerpt
	c.Stdout, c.Stderr = &said, &said
	c.ExtraFiles = []*os.File{nil, outW, nil, text}
	err = c.Start()
	outW.Close()
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	_, copied := out.ReadFrom(io.LimitReader(outR, maxCode))
	err = errors.Join(c.Wait(), copied)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Sprintf("still compiling after %v: time limit", compileTime), nil
	case errors.As(err, &exit) && exit.ExitCode() == child.ExitRejected:
		return nil, said.String(), nil
	case err != nil:
		return nil, "", fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return out.Bytes(), "", nil
}

// readable are folders beside the system's that drivers and compilers need.
func readable() (out []string) {
	list := filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))
	for _, v := range os.Environ() {
		name, path, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "GPUSORT_LIB") || slices.Contains([]string{"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "CUDA_HOME", "CUDA_PATH"}, name) {
			list = append(list, path)
		}
	}
	for _, path := range list {
		if filepath.IsAbs(path) {
			out = append(out, path)
		}
	}
	return out
}

// environment is what a child may know: where libraries and devices are, and
// no more.
func environment(temp string) []string {
	env := []string{"TMPDIR=" + temp, "HOME=" + temp, "POCL_CACHE_DIR=" + temp + "/pocl", "CUDA_CACHE_PATH=" + temp + "/cuda", "GPUSORT_CACHE=off",
		// Of a crash a student reads the signal; the harness's stacks are none of theirs.
		"GOTRACEBACK=none"}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"PATH", "LD_LIBRARY_PATH", "LANG", "GODEBUG"}, name) ||
			slices.ContainsFunc([]string{"OCL_", "POCL_", "CUDA_", "NVIDIA_", "OMP_", "GPUSORT_"}, func(p string) bool { return strings.HasPrefix(name, p) }) &&
				!slices.Contains([]string{"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "GPUSORT_CACHE", "GPUSORT_PEERS"}, name) {
			env = append(env, v)
		}
	}
	return env
}
