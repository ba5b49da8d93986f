//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// limitsCommand is the argument under which a confined process prints its limits.
const limitsCommand = "limits"

// limitsOf are some of this process's limits.
func limitsOf() (out map[int]unix.Rlimit, err error) {
	out = map[int]unix.Rlimit{}
	for _, what := range []int{unix.RLIMIT_STACK, unix.RLIMIT_DATA, unix.RLIMIT_CORE, unix.RLIMIT_NOFILE, unix.RLIMIT_FSIZE} {
		var l unix.Rlimit
		if err := unix.Getrlimit(what, &l); err != nil {
			return nil, err
		}
		out[what] = l
	}
	return out, nil
}

func printLimits() error {
	l, err := limitsOf()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(l)
}

// TestLimits: what the kernel counts for a confined process has an end that it cannot raise. The
// first thread's stack is among it, because it is no private memory to the kernel; where this
// process's limits are lower, they stay.
func TestLimits(t *testing.T) {
	own, err := limitsOf()
	if err != nil {
		t.Fatal(err)
	}
	for _, gpu := range []bool{false, true} {
		out := confined(t, limitsCommand, Spec{Dir: t.TempDir(), Room: 1 << 20, Memory: 1 << 30, GPU: gpu})
		var got map[int]unix.Rlimit
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for what, want := range map[int]uint64{unix.RLIMIT_STACK: 8 << 20, unix.RLIMIT_DATA: 1 << 30, unix.RLIMIT_CORE: 1, unix.RLIMIT_NOFILE: 512, unix.RLIMIT_FSIZE: 1 << 20} {
			if want = min(want, own[what].Max); what == unix.RLIMIT_FSIZE && gpu {
				want = own[what].Max // drivers make files of device memory
			}
			if l := got[what]; l.Max != want || l.Cur > l.Max {
				t.Errorf("gpu=%t: limit %d is %+v, want %d", gpu, what, l, want)
			}
		}
	}
}
