package small

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const clusterName = "cluster-radix"

const (
	// mostBlocks is the most that compute capability 9.0 allows.
	mostBlocks = layout.MaxClusterBlocks
	// portableBlocks is what every device with clusters can launch.
	portableBlocks = 8
	// wholeUnits: a device of so many multiprocessors is no small slice of one,
	// so that some group of multiprocessors that share a cluster has 16.
	wholeUnits = 64
)

// mostClusterBlocks is the largest cluster that c surely launches.
func mostClusterBlocks(c driver.Caps) uint32 {
	if c.ComputeUnits >= wholeUnits {
		return mostBlocks
	}
	return portableBlocks
}

// clusterBlocks is the number of blocks that sort n keys: as many as give each
// thread one key, since blocks work side by side and threads one by one.
func clusterBlocks(pol tune.SmallCuda, n uint64, most uint32) uint32 {
	b := uint32(2)
	for b < most && n > uint64(b*pol.ClusterThreads) {
		b *= 2
	}
	return b
}

// clusterKeys is the most keys per thread of a cluster: with more a grid, whose
// threads have one then, sorts uniform keys faster, or in the same time, and skewed ones, which it models, in 0.7 to 0.9 of it (measured on
// 132 multiprocessors). Keys of 8 and 16 bits it does not model.
func clusterKeys(p plan.Problem, pol tune.SmallCuda) uint32 {
	switch {
	case p.Type.Bits() < 32:
		return clusterRoom(p, pol)
	case p.Type.Bits() == 32 && p.ValueBytes == 0:
		return min(2, clusterRoom(p, pol))
	}
	return 1
}

// clusterRoom is the most keys per thread that a cluster is planned for. A quarter of the places are free in any case: shares of whole digits
// are not spread evenly.
func clusterRoom(p plan.Problem, pol tune.SmallCuda) uint32 {
	keys := uint32(4)
	switch {
	case p.Type.Bits() == 64:
		keys = 3
	case p.ValueBytes != 0:
		keys = 2
	}
	return min(keys, pol.ClusterItems/4*3)
}

func supportsCluster(p plan.Problem, c driver.Caps) error {
	return supportsClusterOf(p, c, clusterKeys)
}

// supportsClusterOf reports why a cluster does not sort p, with at most keys(p, policy) a thread.
func supportsClusterOf(p plan.Problem, c driver.Caps, keys func(plan.Problem, tune.SmallCuda) uint32) error {
	pol, ok := policy(p, c)
	if !ok || pol.ClusterThreads == 0 || !c.Clusters {
		return algo.Unsupported("%s needs thread-block clusters and machine code for compute capability 9.0, %s has %d.%d", clusterName, c.Name, c.Arch/10, c.Arch%10)
	}
	if c.ComputeUnits < portableBlocks {
		return algo.Unsupported("%s needs %d multiprocessors, %s has %d", clusterName, portableBlocks, c.Name, c.ComputeUnits)
	}
	if most := uint64(mostClusterBlocks(c) * pol.ClusterThreads * keys(p, pol)); p.Items > most {
		return algo.Unsupported("%s sorts up to %d keys of %d bits with values of %d bytes, not %d; grid-radix is faster with more",
			clusterName, most, p.Type.Bits(), p.ValueBytes, p.Items)
	}
	return check(clusterName, c, pol.ClusterThreads, shared(p, c, "cluster"))
}

// planCluster returns one launch of one cluster, without scratch memory, also for keys that a grid sorts faster.
func planCluster(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supportsClusterOf(p, c, clusterRoom); err != nil {
		return plan.Plan{}, err
	}
	if err := fixed(clusterName, l); err != nil {
		return plan.Plan{}, err
	}
	pol, _ := policy(p, c)
	blocks := clusterBlocks(pol, p.Items, mostClusterBlocks(c))
	return launch(clusterName, "sort in one cluster", "cluster", p, blocks, pol.ClusterThreads, shared(p, c, "cluster")), nil
}
