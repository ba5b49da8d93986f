// Package hostscatter plans radix-host-scatter: a stable least-significant-digit
// radix sort with 8-bit digits that counts on the device and moves the keys on
// the host, one after the other. For every digit the keys go to the host and
// back, which is what the method is there to show.
//
// Source: report 001, whose radix sort it is. The report's prefix sum of 256
// counts, with a launch for every step, is a loop of the host here.
package hostscatter

import (
	"fmt"
	"math"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	name      = "radix-host-scatter"
	digitBits = 8
	digits    = 1 << digitBits
	// maxThreads is the kernel's launch bound, ownThreads the default.
	maxThreads, ownThreads = 1024, 256
	// unitBlocks are blocks per multiprocessor: what one holds at once of 256
	// threads.
	unitBlocks = 8
)

// Algorithm returns radix-host-scatter for CUDA and OpenCL.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:      name,
		Doc:       "LSD radix sort, histogram on the device, stable scatter on the host; any blocks × threads",
		Source:    "report 001",
		Study:     true,
		Backends:  []string{"cuda", "opencl"},
		Supports:  supports,
		Plan:      Plan,
		HostSteps: map[string]algo.HostStep{scatterStep: scatter},
	}
}

func supports(p plan.Problem, _ driver.Caps) error {
	if p.Items > math.MaxUint32 {
		return algo.Unsupported("radix-host-scatter counts in 32 bits: %d keys are more than %d", p.Items, uint32(math.MaxUint32))
	}
	return nil
}

// Plan returns the steps. Scratch is the 256 counts; the host holds two copies
// of keys and values.
func Plan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	threads, blocks, err := layout(c, l)
	if err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(name, p)
	if p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort {
		return b.Plan(), nil
	}
	keys, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	counts := b.Scratch("counts", digits*4)
	passes := p.Type.Bits() / digitBits
	for pass := range passes {
		b.Memset(fmt.Sprintf("clear counts %d", pass), counts, 0, digits*4)
		b.Launch(fmt.Sprintf("count digit %d", pass), entry(p, c), blocks, threads, p.KeyBytes(),
			plan.At(keys), plan.At(counts), plan.U64(p.Items), plan.U32(uint32(p.Codec())), plan.U32(uint32(pass*digitBits)))
		uses := []plan.Use{{Ref: counts, Bytes: digits * 4, Reads: true}, {Ref: keys, Bytes: p.KeyBytes(), Reads: true}}
		if p.Mode != plan.Argsort {
			uses = append(uses, plan.Use{Ref: keys, Bytes: p.KeyBytes(), Writes: true})
		}
		if p.ValueBytes != 0 {
			first := pass == 0 && p.Mode == plan.Argsort // there are no indices yet
			uses = append(uses, plan.Use{Ref: values, Bytes: p.ValuesBytes(), Reads: !first}, plan.Use{Ref: values, Bytes: p.ValuesBytes(), Writes: true})
		}
		b.Host(fmt.Sprintf("scatter digit %d", pass), scatterStep, scatterVals(p, pass), uses...)
	}
	b.Passes(passes)
	return b.Plan(), nil
}

// layout is the user's, or the default.
func layout(c driver.Caps, l algo.Params) (threads, blocks uint32, err error) {
	most := algo.GroupThreads(c, maxThreads)
	if l.Threads > most {
		return 0, 0, algo.Unsupported("radix-host-scatter: %d threads per block, %s allows %d", l.Threads, c.ID, most)
	}
	threads, blocks = min(ownThreads, most), uint32(max(c.ComputeUnits, 1)*unitBlocks)
	if c.CPU { // a group's threads run one after the other
		threads, blocks = 1, uint32(max(c.ComputeUnits, 1))
	}
	if l.Threads != 0 {
		threads = l.Threads
	}
	if l.Blocks != 0 {
		blocks = l.Blocks
	}
	return threads, blocks, nil
}

// entry names the kernel. OpenCL programs are built for one key width.
func entry(p plan.Problem, c driver.Caps) kernel.ID {
	id := kernel.Plain("hostscatter", fmt.Sprintf("count_%d", p.Type.Bits()))
	if c.Backend == "cuda" {
		return id
	}
	return id.Variant(kernel.Macro("GS_WIDTH", p.Type.Bits()))
}
