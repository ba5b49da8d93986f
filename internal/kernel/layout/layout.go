// Package layout holds what planners need to know of the kernels' memory: sizes of
// structures, launch bounds and the dynamic shared memory of each kernel. tools/cmd/kernels
// reads all of it from the compiled modules (GS_CONSTANT and GS_SHARED in kernels/cuda) and
// writes zlayout.go.
package layout

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/kernel/variant"
)

// Kernel is an entry point by its parts. KeyBits is 0 of a kernel that does not depend on
// keys, ValueBytes 0 of one for keys alone.
type Kernel struct {
	Module, Stage       string
	KeyBits, ValueBytes int
}

// bytes are the dynamic shared memory of a kernel in the machine code for compute
// capability 9.0 and in the PTX; 0: there is no such kernel.
type bytes struct{ sm90, ptx uint32 }

func (b bytes) of(target string) uint32 {
	if target == "sm_90" {
		return b.sm90
	}
	return b.ptx
}

// Shared returns the dynamic shared memory, in bytes, of a kernel in the code for target,
// "sm_90" or "ptx". It panics if there is no such kernel, since nobody can plan its launch.
func Shared(target, module, stage string, keyBits, valueBytes int) uint32 {
	k := Kernel{module, stage, keyBits, valueBytes}
	b := shared()[k].of(target)
	if b == 0 {
		panic(fmt.Sprintf("layout: the code for %s has no shared memory of %+v; run `make kernels`", target, k))
	}
	return b
}

// Most returns the most that Shared returns of some stages of a module. A stage without a
// kernel for target, or for such keys and values, takes nothing.
func Most(target, module string, keyBits, valueBytes int, stages ...string) (most uint32) {
	for _, s := range stages {
		most = max(most, shared()[Kernel{module, s, keyBits, valueBytes}].of(target))
	}
	return most
}

// Named takes a kernel's symbol apart, "gs_onesweep_pass_32_keys".
func Named(name string) (Kernel, error) {
	rest, ours := strings.CutPrefix(name, "gs_")
	module, stage, whole := strings.Cut(rest, "_")
	if !ours || !whole || module == "" {
		return Kernel{}, fmt.Errorf("layout: %q is not the name of a kernel", name)
	}
	typed, valueBytes := stage, 0
	for suffix, bytes := range map[string]int{"_keys": 0, "_pairs32": 4, "_pairs64": 8} {
		if s, found := strings.CutSuffix(stage, suffix); found {
			typed, valueBytes = s, bytes
		}
	}
	if i := strings.LastIndexByte(typed, '_'); i >= 0 {
		if bits, err := strconv.Atoi(typed[i+1:]); err == nil {
			return Kernel{module, typed[:i], bits, valueBytes}, nil
		}
	}
	return Kernel{Module: module, Stage: stage}, nil
}

// shared is table, of a variant's module as the variant says. It is made when it is first
// asked for: programs that plan nothing do without.
var shared = sync.OnceValue(func() map[Kernel]bytes {
	all := table()
	if v, err := variant.Active(); err == nil && v != nil {
		for k, b := range all {
			if n, ok := v.Shared[k.symbol()]; ok {
				b.sm90 = n
				all[k] = b
			}
		}
	}
	return all
})

// symbol is the kernel's name as of Named.
func (k Kernel) symbol() string {
	name := "gs_" + k.Module + "_" + k.Stage
	if k.KeyBits == 0 {
		return name
	}
	suffix := "keys"
	if k.ValueBytes != 0 {
		suffix = fmt.Sprintf("pairs%d", 8*k.ValueBytes)
	}
	return fmt.Sprintf("%s_%d_%s", name, k.KeyBits, suffix)
}

// Of returns the dynamic shared memory of a module's kernels for compute capability 9.0 by
// their names. A variant of the module must say it of all of them.
func Of(module string) map[string]uint32 {
	all := map[string]uint32{}
	for k, b := range shared() {
		if k.Module == module && b.sm90 != 0 {
			all[k.symbol()] = b.sm90
		}
	}
	return all
}
