//go:build linux || darwin

package cli

import "golang.org/x/sys/unix"

// freeSpace is how many bytes the user may write to the file system of a folder.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	err := unix.Statfs(dir, &st)
	return uint64(st.Bavail) * uint64(st.Bsize), err
}
