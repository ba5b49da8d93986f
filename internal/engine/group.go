package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
)

// group is several devices that sort as one place.
type group struct {
	*exec.Group
	e    *Engine
	list []*device
	lost atomic.Bool // one of them failed, and auto tries them together no more
}

func (e *Engine) newGroup(list []*device) *group {
	sessions := make([]*exec.Session, len(list))
	for i, d := range list {
		sessions[i] = d.Session
	}
	return &group{Group: e.exec.Group(sessions), e: e, list: list}
}

// Several reports whether the engine was made for several devices that sort together.
func (e *Engine) Several() bool { return e.group != nil }

// together is the group that auto may use: the devices of the first one's backend, if they
// are several; the most of them that all reach each other's memory, if any two do.
func (e *Engine) together(list []*device) *group {
	var same []*device
	var devs []driver.Device
	for _, d := range list {
		if d.Caps().Backend == list[0].Caps().Backend && !d.Caps().CPU && !d.Caps().HostUnified {
			same, devs = append(same, d), append(devs, d.Session.Device())
		}
	}
	if len(same) < 2 {
		return nil
	}
	if near := neighbours(devs); len(near) > 1 {
		for i, k := range near {
			same[i] = same[k]
		}
		same = same[:len(near)]
	}
	return e.newGroup(same)
}

// neighbours are the numbers of devices that all reach each other's memory: of each device
// those that it finds in their order, and of these the most.
func neighbours(list []driver.Device) (most []int) {
	reaches := func(a, b driver.Device) bool {
		p, ok := a.(driver.Peer)
		if !ok {
			return false
		}
		can, err := p.CanAccess(b)
		return can && err == nil
	}
	linked := make([][]bool, len(list))
	for i, a := range list {
		linked[i] = make([]bool, len(list))
		for k, b := range list[:i] {
			linked[i][k] = reaches(a, b) && reaches(b, a)
			linked[k][i] = linked[i][k]
		}
	}
	for first := range list {
		near := []int{first}
		for i := range list {
			if i != first && !slices.ContainsFunc(near, func(k int) bool { return !linked[i][k] }) {
				near = append(near, i)
			}
		}
		if len(near) > len(most) {
			most = near
		}
	}
	slices.Sort(most)
	return most
}

// togetherPays reports whether auto has several devices sort p: on this machine that was
// measured to take less time than the best of them alone, and than the processor.
func (e *Engine) togetherPays(p op.Spec, best candidate, err error) bool {
	g := e.probe.group
	if g == nil || g.lost.Load() || !g.Worth(p) {
		return false
	}
	t, ok := e.measured(g.measured(), p)
	return ok && t < e.cpuTime(p) && (err != nil || t < best.total())
}

// AutoGroup is the ID of the devices that auto may have sort together; "" if there are none.
func (e *Engine) AutoGroup() (string, error) {
	if _, err := e.discover(); err != nil || e.probe.group == nil {
		return "", err
	}
	return e.probe.group.ID(), nil
}

func (g *group) title() string {
	for _, d := range g.list[1:] {
		if d.title() != g.list[0].title() {
			return fmt.Sprintf("%s and %d more", g.list[0].title(), len(g.list)-1)
		}
	}
	return fmt.Sprintf("%d × %s", len(g.list), g.list[0].title())
}

func (g *group) run(ctx context.Context, j op.Job, r Report) (Report, error) {
	done := exec.Result{Pieces: 1}
	err := g.Sort(ctx, j, &done)
	return r.by(g.ID(), done), err
}

// measured identifies the group in a table of measured times.
func (g *group) measured() crossover.Device {
	c := measuredDevice(g.list[0].Caps())
	c.ID, c.Name = g.ID(), g.title()
	return c
}

const (
	// peerGBps is the rate between two devices one way, in 10^9 bytes a second, as two H100
	// have it: BenchmarkGroup/peers, 88 % of the 450 of 18 links of NVLink 4.
	peerGBps = 398
	// mergeShare is the part of the peak memory bandwidth that a merge reaches.
	mergeShare = 0.7
	// groupTime is what a sort by several devices costs besides: they find their cuts and
	// wait for each other.
	groupTime seconds = 1e-3
)

// cost predicts p: the largest share's transfers and sort, then the exchange, beside whose
// longer half the merges run. See docs/multi-gpu.md.
func (g *group) cost(p op.Spec) (estimate, error) {
	free := make([]uint64, len(g.list))
	for i, d := range g.list {
		free[i] = d.Caps().GlobalBytes
	}
	if p.Kind != op.Sort {
		return g.list[0].cost(p)
	}
	pieces, shares, err := g.Shares(p, free)
	if err != nil {
		return estimate{}, err
	}
	most, at := uint64(0), 0
	for i, n := range shares {
		if n > most {
			most, at = n, i
		}
	}
	share := p
	share.Items = most
	t, err := g.list[at].cost(share)
	if err != nil || most == p.Items {
		return t, err
	}
	c := g.list[at].Caps()
	bytes, n := float64(share.KeyBytes()+share.ValuesBytes()), float64(len(g.list))
	gbps := c.MemoryGBps
	if gbps == 0 {
		gbps = unknownGBps
	}
	alone := t.pieces
	t.pieces, t.moved, t.merge = pieces, p.TransferBytes(), 0
	if pieces == 1 {
		t.exchange = groupTime + seconds(bytes*(n-1)/n/(g.linkGBps()*1e9)) + seconds(2*bytes/(gbps*mergeShare*1e9))
	} else {
		if t.moved *= 2; alone == 1 { // else it is in there
			t.sort *= 2
		}
	}
	t.measured, _ = g.e.measured(g.measured(), p)
	for i, d := range g.list {
		t.shares = append(t.shares, Share{d.ID(), shares[i]})
	}
	return t, nil
}

// linkGBps is the expected rate between two of the devices: through the host it is the
// link's, once up and once down.
func (g *group) linkGBps() float64 {
	for _, d := range g.list[1:] {
		p, ok := g.list[0].Session.Device().(driver.Peer)
		if !ok {
			return linkGBps(d.Caps()) / 2
		}
		if can, err := p.CanAccess(d.Session.Device()); err != nil || !can {
			return linkGBps(d.Caps()) / 2
		}
	}
	return peerGBps
}
