//go:build linux

package outfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestInherit: the file in the old one's place has its bits, owner, attributes and
// access list.
func TestInherit(t *testing.T) { eachTemp(t, testInherit) }

func testInherit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	write(t, name, "old", 0o640)
	owned := os.Geteuid() == 0
	if owned {
		if err := os.Chown(name, 1234, 4321); err != nil {
			t.Fatal(err)
		}
	}
	want := os.FileMode(0o750) | os.ModeSetuid | os.ModeSetgid | os.ModeSticky
	if err := os.Chmod(name, want); err != nil {
		t.Fatal(err)
	}
	attrs := map[string]string{
		"user.note":  "mine",
		"user.empty": "",
		// user::rwx, user:7:r--, group::r-x, mask::r-x, other::---
		"system.posix_acl_access": "\x02\x00\x00\x00" + "\x01\x00\x07\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\x07\x00\x00\x00" +
			"\x04\x00\x05\x00\xff\xff\xff\xff" + "\x10\x00\x05\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff",
	}
	for a, v := range attrs {
		if err := unix.Setxattr(name, a, []byte(v), 0); err != nil {
			absent.Skip(t, "extended attributes", "%s: %v", a, err)
		}
	}
	o, err := Create(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	o.Write([]byte("new"))
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode() != want || read(t, name) != "new" {
		t.Errorf("mode %v, want %v", st.Mode(), want)
	}
	if sys := st.Sys().(*syscall.Stat_t); owned && (sys.Uid != 1234 || sys.Gid != 4321) {
		t.Errorf("owner %d:%d", sys.Uid, sys.Gid)
	}
	for a, v := range attrs {
		b := make([]byte, 200)
		if n, err := unix.Getxattr(name, a, b); err != nil || string(b[:n]) != v {
			t.Errorf("%s is %q, %v; want %q", a, b[:max(n, 0)], err, v)
		}
	}
	alone(t, dir, "out")
}
