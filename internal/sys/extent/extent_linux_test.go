package extent

import (
	"os"
	"syscall"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestRoom: on ext4 there is room behind the end as long as a file grows, and none once it is trimmed.
func TestRoom(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := New(f)
	taken := func() int64 {
		var st syscall.Stat_t
		if err := syscall.Fstat(int(f.Fd()), &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	const size = 3<<20 + 99
	for range 3 {
		x.Write(make([]byte, size/3))
	}
	if x.room < 0 {
		absent.Skip(t, "ext4", "%s is on another file system", f.Name())
	}
	if got := taken(); got < size+1<<20 {
		t.Errorf("%d bytes are reserved for %d", got, size)
	}
	if err := x.Trim(); err != nil || taken() > size+64<<10 {
		t.Errorf("%d bytes are left for %d, %v", taken(), size, err)
	}
}
