//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// systemPaths hold programs, libraries and what drivers read.
var systemPaths = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store", "/sys",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/OpenCL",
}

// devicePaths are harmless; gpuPaths are what drivers of graphics cards open. A
// shared mapping of /dev/zero is memory that no limit counts.
var (
	devicePaths = []string{"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"}
	gpuPaths    = []string{"/dev/zero", "/dev/nvidia*", "/dev/nvidia-caps", "/dev/dri", "/dev/kfd", "/etc/nvidia", "/run/nvidia-persistenced"}
)

// newRoot makes a file system of what the Spec names the root of this process.
func (s Spec) newRoot() error {
	// Nothing mounted from here on is seen outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	root := s.Dir
	if err := mountTmpfs(root, 1<<20, "755"); err != nil {
		return err
	}
	show := append(append([]string{}, systemPaths...), s.Read...)
	devices := devicePaths
	if s.GPU {
		devices = append(append([]string{}, devices...), gpuPaths...)
	}
	for _, pattern := range devices {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		show = append(show, found...)
	}
	for _, path := range show {
		if err := bind(root, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, dir := range []string{"/tmp", "/dev/shm"} {
		if err := os.MkdirAll(root+dir, 0o755); err != nil {
			return err
		}
		if err := mountTmpfs(root+dir, s.Room/2, "1777"); err != nil {
			return err
		}
	}
	if err := mountProc(root+"/proc", s.GPU); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	return pivot(root)
}

func mountTmpfs(path string, bytes uint64, mode string) error {
	options := fmt.Sprintf("mode=%s,size=%d,nr_inodes=4096", mode, max(bytes, 1<<20))
	if err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("an empty folder: %w", err)
	}
	return nil
}

// bind shows a path below root, read-only. What is not there is left out; a
// link is made again.
func bind(root, path string) error {
	path = filepath.Clean(path)
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	to := root + path
	if _, err := os.Lstat(to); err == nil {
		return nil // shown already
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		if err := os.Symlink(target, to); err != nil {
			return err
		}
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			return bind(root, resolved)
		}
		return nil
	case info.IsDir():
		err = os.Mkdir(to, 0o755)
	default:
		err = os.WriteFile(to, nil, 0o644)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(path, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if !strings.HasPrefix(path, "/dev/") {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	return unix.MountSetattr(unix.AT_FDCWD, to, unix.AT_RECURSIVE, &attr)
}

// mountProc shows the processes of this namespace alone. Nothing of it can be
// written, unless drivers are to name threads there: what else of it the submission
// could write is its own process's, or denied by landlock.
func mountProc(path string, writable bool) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC)
	if !writable {
		flags |= unix.MS_RDONLY
	}
	return unix.Mount("proc", path, "proc", flags, "")
}

// pivot makes root the root, read-only, and lets go of the old one.
func pivot(root string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}
