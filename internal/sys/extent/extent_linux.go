package extent

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve makes room for n bytes behind the end of the file, whose length stays. It reports whether there
// is: other file systems than ext4 have other costs, tmpfs those of memory.
func reserve(f *os.File, end, n int64) bool {
	var fs unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &fs) != nil || fs.Type != unix.EXT4_SUPER_MAGIC {
		return false
	}
	if unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, end, n) == nil {
		return true
	}
	_ = f.Truncate(end) // ext4 keeps what it found until the disk was full
	return false
}
