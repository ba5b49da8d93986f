package cli

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/gpusort/gpusort/cmd/internal/room"
)

const (
	// ampleSpace is the address space from which on nothing is saved: drivers of
	// devices map tens of gigabytes.
	ampleSpace = 64 << 30
	// runtimeSpace is what the Go runtime and the program reserve, and threadSpace what
	// the threads that a processor brings do: their stacks.
	runtimeSpace, threadSpace = 800 << 20, 24 << 20
	// laterSpace is what stacks of threads still take of it once the program runs.
	laterSpace = 64 << 20
	// One thread's stack takes at most 1/stackShare of the address space, and at least
	// leastStack bytes. A sort on two processors has 8 threads, most of which wait. With 4 GiB
	// each has the usual 8 MiB, which compilers in drivers of devices may need.
	stackShare, leastStack = 512, 256 << 10
)

// addressSpace is the process's limit of address space (ulimit -v) in bytes.
func addressSpace() uint64 {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &l) != nil {
		return math.MaxUint64
	}
	return l.Cur
}

// spaceLeft is what a limit of address space leaves: what the runtime reserves depends on
// the limit itself.
func spaceLeft(limit uint64) uint64 {
	used := uint64(runtimeSpace)
	if now := room.Space(); now > 0 {
		used = now + laterSpace
	}
	return limit - min(limit, used)
}

// oneHeap is the variable by which the GNU C library is told how many heaps its
// threads share.
const oneHeap = "MALLOC_ARENA_MAX"

// saveAddressSpace starts the program again where its address space is limited, with
// one heap of the C library, which reserves 64 MiB for each thread's otherwise, with
// small stacks, and with as few threads as fit: a thread that cannot be made ends the
// process. All three must be known when a process begins. It returns
// if there is nothing to change, or if the program cannot be started again.
func saveAddressSpace() {
	limit := addressSpace()
	if limit >= ampleSpace {
		return
	}
	again := false
	if os.Getenv(oneHeap) == "" {
		again = os.Setenv(oneHeap, "1") == nil
	}
	if fit := threadsIn(limit); fit < runtime.GOMAXPROCS(0) {
		again = os.Setenv("GOMAXPROCS", strconv.Itoa(fit)) == nil || again
	}
	var stack syscall.Rlimit
	if most := max(limit/stackShare, leastStack); syscall.Getrlimit(syscall.RLIMIT_STACK, &stack) == nil && stack.Cur > most {
		stack.Cur = most
		again = syscall.Setrlimit(syscall.RLIMIT_STACK, &stack) == nil || again
	}
	if exe, err := os.Executable(); again && err == nil {
		_ = syscall.Exec(exe, os.Args, os.Environ())
	}
}

// threadsIn is the number of processors whose threads take at most half of what the
// runtime leaves of an address space.
func threadsIn(limit uint64) int {
	if limit < runtimeSpace {
		return 1
	}
	return int(min(max((limit-runtimeSpace)/2/threadSpace, 1), 1<<16))
}
