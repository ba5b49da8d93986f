//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

// inherit gives f what old has besides its contents: owner and group where the user
// may, permissions, extended attributes. A set-user-ID or set-group-ID bit stays only
// with the owner or group that it was given for.
func inherit(f *os.File, old fs.FileInfo, path string) error {
	mode := old.Mode()
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		if f.Chown(int(st.Uid), int(st.Gid)) != nil {
			f.Chown(-1, int(st.Gid))
		}
		now, err := f.Stat()
		if err != nil {
			return err
		}
		is, ok := now.Sys().(*syscall.Stat_t)
		if !ok || is.Uid != st.Uid {
			mode &^= fs.ModeSetuid
		}
		if !ok || is.Gid != st.Gid {
			mode &^= fs.ModeSetgid
		}
	}
	// After the owner, whose change takes these bits away.
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return copyAttributes(f, path)
}

// replaceable reports whether the user may put another file in the place of old: in a
// sticky directory, such as /tmp, the owners of file and directory may, and who has
// the right over all files.
func replaceable(old fs.FileInfo, dir string) bool {
	d, err := os.Stat(dir)
	if err != nil || d.Mode()&fs.ModeSticky == 0 {
		return true
	}
	me := uint32(os.Geteuid())
	for _, st := range []fs.FileInfo{old, d} {
		if s, ok := st.Sys().(*syscall.Stat_t); !ok || s.Uid == me {
			return true
		}
	}
	return ownsAll()
}
