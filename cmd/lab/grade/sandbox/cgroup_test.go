//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestGroupFolder finds the own group where a container shows a part of the tree,
// and beside groups of version 1.
func TestGroupFolder(t *testing.T) {
	const v1 = "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	for _, c := range []struct{ name, mounts, groups, want string }{
		{"first", "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n", "0::/\n", "/sys/fs/cgroup"},
		{"scope", v1 + "31 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n",
			"4:memory:/a\n0::/user.slice/x.scope\n", "/sys/fs/cgroup/unified/user.slice/x.scope"},
		{"part", "31 24 0:27 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", "0::/docker/1/job\n", "/sys/fs/cgroup/job"},
		{"another part", "31 24 0:27 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", "0::/docker/2\n", ""},
		{"version 1", v1, "4:memory:/a\n", ""},
		{"nothing", "", "", ""},
	} {
		got, err := groupFolder(c.mounts, c.groups)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// TestGroup holds processes to their memory and number, ends them, and leaves
// nothing.
func TestGroup(t *testing.T) {
	groups, err := OpenGroups()
	if err != nil {
		absent.Skip(t, "cgroup2", "%v", err)
	}
	before := folders(t, groups.own)
	t.Cleanup(func() {
		if err := groups.Close(); err != nil {
			t.Error(err)
		}
	})
	start := func(memory, threads uint64, script string) (*Group, *exec.Cmd) {
		g, err := groups.New(memory, threads)
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("/bin/sh", "-c", script)
		if err := Confine(c, Spec{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		g.Hold(c)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return g, c
	}
	t.Run("memory", func(t *testing.T) {
		g, c := start(32<<20, 0, "exec tail /dev/zero") // it keeps a line without end
		if err := c.Wait(); err == nil || !g.OutOfMemory() {
			t.Errorf("memory without bound: %v, out of memory %v", err, g.OutOfMemory())
		}
		if peak, known := g.Peak(); known && (peak < 24<<20 || peak > 33<<20) {
			t.Errorf("a peak of %d bytes under a limit of 32 MiB", peak)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("threads", func(t *testing.T) {
		g, c := start(0, 4, "for i in 1 2 3 4 5 6 7 8; do sleep 100 & done; wait")
		if err := c.Wait(); err == nil {
			t.Error("nine processes under a limit of four")
		}
		if g.OutOfMemory() {
			t.Error("out of memory, without a limit")
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("end", func(t *testing.T) {
		g, c := start(0, 0, "sleep 100 & exec sleep 100")
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case <-ctx.Done():
			t.Error("the group is gone, a process of it is not")
		case err := <-ended:
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
				t.Errorf("not ended by the group: %v", err)
			}
		}
	})
	if now := folders(t, groups.own); !slices.Equal(now, before) {
		t.Errorf("groups %v, were %v", now, before)
	}
}

func folders(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*", "cgroup.procs"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
