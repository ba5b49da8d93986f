//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// threadsCommand is the argument under which a confined process calls nameThread.
const threadsCommand = "threads"

// nameThread names another thread of this process and writes a file of /proc that is
// none of its names, and prints both errors, a line each.
func nameThread() {
	tid := make(chan int)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is nobody else's
		tid <- unix.Gettid()
		select {}
	}()
	name := fmt.Sprintf("/proc/self/task/%d/comm", <-tid)
	fmt.Printf("%v\n%v\n", os.WriteFile(name, []byte("named"), 0), os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0))
}

// TestThreadNames: a process that drives a graphics card can name its threads, as CUDA's
// driver does, and no other process can; none can write other files of /proc.
func TestThreadNames(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	has := Probe(t.Context(), []string{exe}, t.TempDir())
	if !has.Landlock {
		absent.Skip(t, "sandbox", "this kernel has no Landlock")
	}
	for _, spaces := range []bool{true, false} {
		for _, gpu := range []bool{true, false} {
			t.Run(fmt.Sprintf("namespaces=%t/gpu=%t", spaces, gpu), func(t *testing.T) {
				if spaces && !has.Namespaces {
					absent.Skip(t, "sandbox", "this machine has no namespaces: %s", has.Why)
				}
				out := confined(t, threadsCommand, Spec{Dir: t.TempDir(), Room: 1 << 20, Namespaces: spaces, OwnUser: spaces && has.OwnUser, GPU: gpu})
				named, other, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
				if gpu != (named == "<nil>") {
					t.Errorf("naming a thread: %s", named)
				}
				if other == "<nil>" {
					t.Error("another file of /proc was written")
				}
			})
		}
	}
}
