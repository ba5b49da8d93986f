//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Groups makes control groups (version 2) below that of this process, one for
// each process that is confined. The kernel counts for a group what setrlimit
// counts for each process alone: memory with that of files in it, and processes.
type Groups struct {
	own  string // this process's group when it was opened
	self string // the group that this process has moved to, if it had to
}

// controllers are those that a group needs.
var controllers = []string{"memory", "pids"}

// OpenGroups prepares the group of this process. The caller closes what it
// returns. The error says why this machine, or this user, has no groups to give.
func OpenGroups() (*Groups, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	own, err := groupFolder(string(mounts), string(groups))
	if err != nil {
		return nil, err
	}
	g := &Groups{own: own}
	if err := g.enable(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// groupFolder finds the folder of this process's group in the texts of
// /proc/self/mountinfo and /proc/self/cgroup.
func groupFolder(mounts, groups string) (string, error) {
	path := ""
	for line := range strings.Lines(groups) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			path = p
		}
	}
	for line := range strings.Lines(mounts) {
		// … root, mount point, options, "-", type, …
		before, after, _ := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if len(f) < 5 || !strings.HasPrefix(after, "cgroup2 ") || path == "" {
			continue
		}
		if rest, err := filepath.Rel(f[3], path); err == nil && filepath.IsLocal(rest) {
			return filepath.Join(f[4], rest), nil
		}
	}
	return "", errors.New("no control groups of version 2")
}

// enable lets groups below the own one have controllers. A group other than the
// machine's first must be empty for that, so this process moves down.
func (g *Groups) enable() error {
	offered, err := os.ReadFile(filepath.Join(g.own, "cgroup.controllers"))
	if err != nil {
		return err
	}
	for _, c := range controllers {
		if !slices.Contains(strings.Fields(string(offered)), c) {
			return fmt.Errorf("its control group has no controller of %s", c)
		}
	}
	err = g.control("+")
	if !errors.Is(err, unix.EBUSY) {
		return err
	}
	self, err := os.MkdirTemp(g.own, "gpusort-grader-")
	if err != nil {
		return err
	}
	g.self = self
	if err := move(self, os.Getpid()); err != nil {
		return err
	}
	if err = g.control("+"); errors.Is(err, unix.EBUSY) {
		err = errors.New("its control group holds other processes: systemd-run --scope -p Delegate=yes starts it in one of its own")
	}
	return err
}

// control gives controllers to the groups below the own one, or takes them.
func (g *Groups) control(sign string) error {
	text := sign + strings.Join(controllers, " "+sign)
	return os.WriteFile(filepath.Join(g.own, "cgroup.subtree_control"), []byte(text), 0)
}

func move(group string, pid int) error {
	return os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

// Close leaves the group of this process as it was, all groups of New closed.
func (g *Groups) Close() error {
	if g == nil || g.self == "" {
		// Controllers that the machine's first group gave may be used by others.
		return nil
	}
	// Without a controller given, taking it is no error.
	return errors.Join(g.control("-"), move(g.own, os.Getpid()), os.Remove(g.self))
}

// Group is a control group with limits.
type Group struct {
	dir  string
	open *os.File
}

// New makes a group whose processes may take memory bytes of memory together,
// with the files that they keep there, and be threads; 0 does not bound.
func (g *Groups) New(memory, threads uint64) (*Group, error) {
	dir, err := os.MkdirTemp(g.own, "gpusort-grade-")
	if err != nil {
		return nil, fmt.Errorf("control group: %w", err)
	}
	n := &Group{dir: dir}
	set := map[string]string{"memory.oom.group": "1"}
	if memory > 0 {
		set["memory.max"] = strconv.FormatUint(memory, 10)
		if n.has("memory.swap.max") {
			set["memory.swap.max"] = "0"
		}
	}
	if threads > 0 {
		set["pids.max"] = strconv.FormatUint(threads, 10)
	}
	for name, value := range set {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0); err != nil {
			return nil, errors.Join(fmt.Errorf("control group: %w", err), n.Close())
		}
	}
	if n.open, err = os.Open(dir); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

func (n *Group) has(name string) bool {
	_, err := os.Lstat(filepath.Join(n.dir, name))
	return err == nil
}

// Hold has c, which Confine has prepared, start as a member of the group.
func (n *Group) Hold(c *exec.Cmd) {
	c.SysProcAttr.UseCgroupFD, c.SysProcAttr.CgroupFD = true, int(n.open.Fd())
}

// Peak is the most memory that the group has held, in bytes. Kernels before 5.19
// do not say.
func (n *Group) Peak() (bytes uint64, known bool) {
	text, err := os.ReadFile(filepath.Join(n.dir, "memory.peak"))
	if err != nil {
		return 0, false
	}
	bytes, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return bytes, err == nil
}

// OutOfMemory reports whether the kernel ended the group's processes because
// they took more memory than the group may have.
func (n *Group) OutOfMemory() bool {
	text, _ := os.ReadFile(filepath.Join(n.dir, "memory.events")) // without it nothing is known
	for line := range strings.Lines(string(text)) {
		if count, ok := strings.CutPrefix(line, "oom_kill "); ok {
			return strings.TrimSpace(count) != "0"
		}
	}
	return false
}

// groupEnd bounds how long processes of a group may take to end.
const groupEnd = 2 * time.Second

// Close ends every process of the group and removes it.
func (n *Group) Close() error {
	if n == nil {
		return nil
	}
	if n.open != nil {
		n.open.Close()
	}
	if n.has("cgroup.kill") {
		// A group without processes cannot be told from one whose are ending.
		_ = os.WriteFile(filepath.Join(n.dir, "cgroup.kill"), []byte("1"), 0)
	}
	for end := time.Now().Add(groupEnd); ; time.Sleep(time.Millisecond) {
		if err := os.Remove(n.dir); !errors.Is(err, unix.EBUSY) || time.Now().After(end) {
			return err
		}
	}
}
