package run

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUniqueByFiles: the two sorts of a sort by unique keys share the files that may be open.
func TestUniqueByFiles(t *testing.T) {
	old := openFiles
	defer func() { openFiles = old }()
	openFiles = func() int { return 40 }
	o := optionsOf(orders(t)["numbers"])
	o.UniqueBy, o.Temp, o.room, o.block, o.Budget = o.Format.Encoder, []string{t.TempDir()}, 1<<15, 1<<12, 1<<30
	most := 0
	o.Phase = func(string, int64) func(int64) {
		open := 0
		fds, _ := filepath.Glob("/proc/self/fd/*")
		for _, fd := range fds {
			if to, _ := os.Readlink(fd); strings.HasPrefix(to, o.Temp[0]) {
				open++
			}
		}
		most = max(most, open)
		return func(int64) {}
	}
	st, err := Sort(t.Context(), o, []Input{input(someLines(rand.New(rand.NewPCG(1, 1)), 60_000))}, -1, io.Discard)
	if err != nil || st.Runs < 90 || most < 10 || most > 42 {
		t.Errorf("%d files were open for %d runs: %v", most, st.Runs, err)
	}
}
