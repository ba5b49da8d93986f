package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// group is the cells that sort one input on one device.
type group struct {
	engine  *engine.Engine // nil: the host
	op      *ops.Spec      // an operation other than a sort
	file    *fileSpec      // a file to be sorted
	absent  error          // why there is no device
	problem plan.Problem
	source  source
	cells   []result.Cell
}

// expand multiplies the axes and the places into groups, in the order of the
// axes, each cell once.
func expand(o Options, places []place) ([]group, error) {
	set, err := complete(o)
	if err != nil {
		return nil, err
	}
	cells, err := set.Cells()
	if err != nil {
		return nil, err
	}
	if len(cells)*len(places) > axes.MaxCells {
		return nil, fmt.Errorf("%d devices times %d cells are more than %d", len(places), len(cells), axes.MaxCells)
	}
	type groupKey struct {
		id, dist string
		max      uint64
		input    string
		op       string
		p        plan.Problem
	}
	var groups []group
	at := map[groupKey]int{}
	seen := map[string]bool{}
	for _, c := range cells {
		cell, p, err := read(c, o.AsDrawn)
		if err != nil {
			return nil, err
		}
		d, err := dist.Find(cell.Dist)
		if err != nil {
			return nil, err
		}
		file, err := fileOf(&cell, p)
		if err != nil {
			return nil, err
		}
		var spec *ops.Spec
		if file == nil {
			if spec, err = operation(&cell, p, d); err != nil {
				return nil, err
			}
		}
		for _, pl := range places {
			cell := cell
			cell.Backend, cell.DeviceID, cell.Seed = pl.backend, pl.id, o.Seed
			if pl.backend != "cpu" {
				cell.Warm, cell.Graph, cell.HostClock = o.Warm, o.Graph, o.HostClock
			} else {
				cell.Workers = uint32(o.Workers)
			}
			id := result.Record{Cell: cell, Case: cell.ID()}.Key()
			if seen[id] || o.Done[id] {
				continue
			}
			seen[id] = true
			src := source{dist: d, max: cell.MaxValue, seed: o.Seed, fresh: cell.Input == Fresh}
			if o.AsDrawn {
				src.max = 0
			}
			k := groupKey{id: pl.id, dist: d.Name, max: src.max, input: cell.Input, p: p}
			switch {
			case spec != nil:
				k.op = spec.Words()
			case file != nil:
				k.op = fmt.Sprint(file.name, file.length, file.budget)
			}
			i, ok := at[k]
			if !ok {
				i = len(groups)
				at[k] = i
				groups = append(groups, group{engine: pl.engine, op: spec, file: file, absent: pl.absent, problem: p, source: src})
			}
			groups[i].cells = append(groups[i].cells, cell)
		}
	}
	return groups, nil
}

// complete checks the axes, adds the defaults and writes "all" and Entropy out.
func complete(o Options) (axes.Set, error) {
	if err := checkNames(o.Axes); err != nil {
		return nil, err
	}
	set := slices.Clone(o.Axes)
	if e := set.Find("Entropy"); e != nil {
		var all []string
		if d := set.Find("Dist"); d != nil {
			all = d.Values
		}
		for _, v := range e.Values {
			all = append(all, "entropy-"+v)
		}
		set = slices.DeleteFunc(set, func(a axes.Axis) bool { return strings.EqualFold(a.Name, "Entropy") })
		set = set.With(axes.Axis{Name: "Dist", Values: all})
	}
	for _, k := range Known() {
		if k.Default != "" {
			set = set.Default(k.Name + "=" + k.Default)
		}
	}
	var types []string
	for _, r := range key.Table() {
		types = append(types, r.Name)
	}
	known := o.names()
	all := known
	if others := set.Find("Op").Values; slices.ContainsFunc(others, func(v string) bool { return v != ops.Sort }) {
		known = append(slices.Clone(known), ops.Go)
		all = []string{ops.Ours, ops.Go}
		if onDevices(o.Devices) {
			all = []string{Auto}
		}
		for _, a := range catalog.Operations() {
			known = append(known, a.Name)
		}
		for _, x := range o.operators {
			known, all = append(known, x.Name), append(all, x.Name)
		}
		if slices.Contains(others, Files) {
			known = append(known, Gpusort, GNU)
			if len(others) == 1 {
				all = []string{Gpusort, GNU}
			}
		}
	}
	for _, x := range []struct {
		axis string
		all  []string
	}{{"Algo", all}, {"KeyT", types}, {"Dist", dist.Names()}} {
		a := set.Find(x.axis)
		if len(a.Values) == 1 && a.Values[0] == "all" {
			set = set.With(axes.Axis{Name: x.axis, Values: x.all})
		}
	}
	set = set.With(axes.Axis{Name: "Algo", Values: canonical(set.Find("Algo").Values, known)})
	for _, v := range set.Find("Algo").Values {
		if v != Auto && !o.AbsentAlgos && !slices.Contains(known, v) {
			if a, err := study.Runnable(v); err == nil && a.Kind != op.Sort {
				continue // a prefix sum: no part of "all", which are sorts
			}
			return nil, fmt.Errorf("unknown algorithm %q: 'gpusort bench --list' lists all, such as onesweep, radix-lsd and cpu (peers need their library, which GPUSORT_PEERS names)", v)
		}
	}
	return set, nil
}

// fileOf is the cell's file, if it sorts one, with what that takes filled in there, too.
func fileOf(c *result.Cell, p plan.Problem) (*fileSpec, error) {
	if c.Op != Files {
		if c.Format != "" || c.Budget != 0 {
			return nil, fmt.Errorf("axes Format and Budget are of files: give Op=%s", Files)
		}
		return nil, nil
	}
	if c.Format == "" {
		c.Format = fileFormats[0].name
	}
	f, err := findFormat(c.Format)
	if err != nil {
		return nil, err
	}
	if p.Mode != plan.Keys || p.Order != (key.Order{}) || c.Threads != 0 || c.Blocks != 0 || c.Scan != "" || c.Segments != 0 || c.K != 0 || c.MaxValue != 0 {
		return nil, fmt.Errorf("axis Op: %s takes Format, Budget, StringLen, Dist and Elements, and sorts in ascending order", Files)
	}
	switch {
	case !f.words:
		c.StringLen = 0
	case c.StringLen == 0:
		c.StringLen = 16
	}
	c.KeyType = c.Format
	return &fileSpec{fileFormat: f, items: c.Items, length: c.StringLen, budget: c.Budget}, nil
}

// operation is the cell's operation, if it is no sort, with what it takes filled in
// there, too. A sort takes none of it.
func operation(c *result.Cell, p plan.Problem, d dist.Dist) (*ops.Spec, error) {
	if c.Op == "" {
		if c.Segments != 0 || c.K != 0 || c.StringLen != 0 {
			return nil, fmt.Errorf("axes Segments, K and StringLen belong to operations: give Op, such as Op=topk")
		}
		return nil, nil
	}
	s, err := ops.Spec{Op: c.Op, Type: p.Type, Items: p.Items, Segments: c.Segments, K: c.K, StringLen: c.StringLen, Dist: d, Max: c.MaxValue}.Complete()
	if err != nil {
		return nil, fmt.Errorf("axis Op: %w", err)
	}
	if p.Mode != plan.Keys || p.Order != (key.Order{}) || c.Threads != 0 || c.Blocks != 0 || c.Scan != "" {
		return nil, fmt.Errorf("axis Op: %s takes keys alone, in ascending order, and no geometry", c.Op)
	}
	c.Segments, c.K, c.StringLen = s.Segments, s.K, s.StringLen
	if c.Op == "strings" {
		c.KeyType = "string"
	}
	return &s, nil
}

// canonical replaces former names of host algorithms by what they are called
// now.
func canonical(names, known []string) []string {
	out := slices.Clone(names)
	for i, v := range out {
		if h, err := catalog.HostAlgorithm(v); err == nil && v != "" && !slices.Contains(known, v) {
			out[i] = h.Name
		}
	}
	return out
}

// read turns one combination of values into a cell and its problem.
func read(c axes.Cell, asDrawn bool) (r result.Cell, p plan.Problem, err error) {
	get := func(name string) string { v, _ := c.Get(name); return v }
	choose := func(axis string, of ...string) int {
		i := slices.Index(of, get(axis))
		if i < 0 && err == nil {
			err = fmt.Errorf("axis %s: %q is none of %s", axis, get(axis), strings.Join(of, ", "))
		}
		return i
	}
	count := func(axis string, limit uint64) uint64 {
		n, e := c.Items(axis)
		if e == nil && n > limit {
			e = fmt.Errorf("axis %s: %d is more than %d", axis, n, limit)
		}
		if e != nil && err == nil {
			err = e
		}
		return n
	}
	if p.Type, err = key.Parse(get("KeyT")); err != nil {
		return r, p, fmt.Errorf("axis KeyT: %w", err)
	}
	p.Mode = plan.Mode(max(0, choose("Mode", "keys", "pairs", "argsort")))
	width := 4 * (1 + choose("ValueT", "u32", "u64"))
	if p.Mode != plan.Keys {
		p.ValueBytes = width
	}
	p.Order.Desc = choose("Order", "asc", "desc") == 1
	nanLast := choose("NaN", "first", "last") == 1
	p.Order.NaNLast = nanLast && p.Type.Row().Kind == key.Float
	const maxItems = 1 << 40 // far past any machine's memory, far below overflow
	p.Items = count("Elements", maxItems)
	r = result.Cell{
		Algo: get("Algo"), KeyType: p.Type.String(), Mode: p.Mode.String(), ValueBytes: p.ValueBytes,
		Desc: p.Order.Desc, NaNLast: p.Order.NaNLast, Dist: get("Dist"), Items: p.Items,
		Threads: uint32(count("Threads", 1<<20)), Blocks: uint32(count("Blocks", 1<<31)), MaxValue: count("MaxValue", 1<<63),
	}
	if v := get("Op"); v != ops.Sort {
		r.Op = v
	}
	r.Segments, r.K, r.StringLen = count("Segments", 1<<32), count("K", 1<<40), count("StringLen", 1<<16)
	if r.Budget = count("Budget", 1<<50); get("Format") != "none" {
		r.Format = get("Format")
	}
	r.Input = []string{Fresh, Same}[max(0, choose("Input", Fresh, Same))]
	if v := get("Scan"); v != "own" {
		r.Scan = v
	}
	if err == nil && r.MaxValue != 0 && !asDrawn && p.Type.Row().Kind != key.Unsigned {
		err = fmt.Errorf("axis MaxValue: %d bounds unsigned keys, not %s", r.MaxValue, p.Type)
	}
	if err == nil {
		err = p.Validate()
	}
	return r, p, err
}

// CellAxes returns the axes that give exactly this cell on its device.
func CellAxes(c result.Cell) []string {
	order, nan := "asc", "first"
	if c.Desc {
		order = "desc"
	}
	if c.NaNLast {
		nan = "last"
	}
	out := []string{
		"Algo=" + c.Algo, "KeyT=" + c.KeyType, "Mode=" + c.Mode, "Dist=" + c.Dist, fmt.Sprintf("Elements=%d", c.Items),
		"Order=" + order, "NaN=" + nan,
		fmt.Sprintf("Threads=%d", c.Threads), fmt.Sprintf("Blocks=%d", c.Blocks), fmt.Sprintf("MaxValue=%d", c.MaxValue),
	}
	if c.Op != "" {
		out = append(out, "Op="+c.Op, fmt.Sprintf("Segments=%d", c.Segments), fmt.Sprintf("K=%d", c.K), fmt.Sprintf("StringLen=%d", c.StringLen))
		if c.Op == "strings" || c.Op == Files {
			out[1] = "KeyT=u32" // any
		}
		if c.Op == Files {
			out = append(out, "Format="+c.Format, fmt.Sprintf("Budget=%d", c.Budget))
		}
	}
	if c.Input == Same {
		out = append(out, "Input="+Same)
	}
	if c.Scan != "" {
		out = append(out, "Scan="+c.Scan)
	}
	if c.ValueBytes != 0 {
		out = append(out, fmt.Sprintf("ValueT=u%d", 8*c.ValueBytes))
	}
	return out
}
