package perfstat

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestCountsOnlyBetween: touching fresh memory while counting shows as page
// faults, while paused it does not.
func TestCountsOnlyBetween(t *testing.T) {
	s, err := Start()
	if err != nil {
		absent.Skip(t, "perf", "%v", err)
	}
	const pages = 4096
	touch := func() {
		b := make([]byte, pages*os.Getpagesize())
		for i := 0; i < len(b); i += os.Getpagesize() {
			b[i] = 1
		}
		runtime.KeepAlive(b)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	touch()
	counts, err := s.Stop()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(counts, func(c Count) bool { return c.Event == "page-faults" })
	if i < 0 || len(counts) != len(Events) || counts[i].Missing == "" && counts[i].Value > pages/8 {
		t.Errorf("paused, but %+v", counts)
	}
	i = slices.IndexFunc(counts, func(c Count) bool { return c.Event == "task-clock" })
	if i < 0 || counts[i].Missing == "" && counts[i].Value <= 0 {
		t.Errorf("nothing was counted while it counted: %+v", counts)
	}
	if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
		t.Error("the pipes are left")
	}
}
