package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/stat"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Checked is one size of a check: what auto takes for host memory, and what the
// processor and each device take when they are named.
type Checked struct {
	Type  string `json:"type"`
	Items uint64 `json:"items"`
	// Choice is where auto sorted, Auto the median of its times in seconds.
	Choice string  `json:"choice"`
	Auto   float64 `json:"auto_seconds"`
	// Forced are the medians of the others, by device ID.
	Forced map[string]float64 `json:"forced_seconds"`
}

// Best is the device that took least, and its time in seconds.
func (c Checked) Best() (id string, seconds float64) {
	for d, s := range c.Forced {
		if id == "" || s < seconds || s == seconds && d < id {
			id, seconds = d, s
		}
	}
	return id, seconds
}

// Ratio is auto's time over the best one's: what the choice costs, the time to
// make it included.
func (c Checked) Ratio() float64 {
	_, s := c.Best()
	return c.Auto / s
}

// Regret is what the chosen device took when it was named over what the best one
// took: the choice alone, 1 where it was the best.
func (c Checked) Regret() float64 {
	_, s := c.Best()
	return c.Forced[c.Choice] / s
}

const (
	// checkSpend is how long each contender sorts at each size, within checkLeast
	// and checkMost samples.
	checkSpend            = 40 * time.Millisecond
	checkLeast, checkMost = 3, 101
	// checkBatch is the number of keys of one sample, at least: a clock reading
	// costs as much as a sort of 16 keys.
	checkBatch = 1 << 13
)

// checkTypes are the kinds of key; firstBits and stepBits give the sizes.
var checkTypes = []key.Type{key.U32, key.U64}

// problems are the sizes of a check.
func (o Options) problems() (all []plan.Problem) {
	for _, t := range checkTypes {
		for bits := firstBits; ; bits += stepBits {
			p := plan.Problem{Type: t, Items: 1 << bits}
			if p.KeyBytes() > o.MostBytes {
				break
			}
			all = append(all, p)
		}
	}
	return all
}

// Check times sorts of random keys in host memory, 2^4, 2^6, … as far as
// o.MostBytes allows: by auto, with the times of the user's cache directory if there
// are any, and by the processor and each device that auto may use, in turn.
// o.Progress is told of each size.
func Check(ctx context.Context, o Options) (all []Checked, err error) {
	if o.MostBytes == 0 {
		o.MostBytes = 1 << 31
	}
	c := checker{meter: meter{ctx: ctx, o: o, source: make([]uint64, o.MostBytes/8), work: make([]uint64, o.MostBytes/8)}}
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.open(); err != nil {
		return nil, err
	}
	uniform, err := dist.Find("uniform")
	if err != nil {
		return nil, err
	}
	dist.Fill(c.source, uniform, key.U64, uint64(time.Now().UnixNano()))
	problems := o.problems()
	for _, p := range problems {
		one, err := c.size(p)
		if err != nil {
			return nil, fmt.Errorf("check: %d keys of type %v: %w", p.Items, p.Type, err)
		}
		all = append(all, one)
		if o.Progress != nil {
			o.Progress(len(all), len(problems), fmt.Sprintf("%d %v", p.Items, p.Type))
		}
	}
	return all, nil
}

// checker is a meter with its contenders.
type checker struct {
	meter
	all []*contender // auto first
}

// contender is an engine with the samples of one size, in seconds.
type contender struct {
	id      string
	e       *engine.Engine
	samples []float64
	spent   time.Duration
	choice  string
}

func (c *checker) open() error {
	add := func(id string) error {
		e, err := engine.New(engine.Config{Device: id})
		if err == nil {
			c.all = append(c.all, &contender{id: id, e: e})
		}
		return err
	}
	if err := errors.Join(add("auto"), add("cpu")); err != nil {
		return err
	}
	devices, err := c.all[0].e.AutoDevices()
	for _, d := range devices {
		err = errors.Join(err, add(d.ID))
	}
	return err
}

func (c *checker) close() (err error) {
	for _, x := range c.all {
		err = errors.Join(err, x.e.Close())
	}
	return err
}

// size times one size: all contenders in turn, in a new order every time since each
// finds the caches as the one before has left them, until each has its samples.
func (c *checker) size(p plan.Problem) (out Checked, err error) {
	for _, x := range c.all {
		x.samples, x.spent = nil, 0
		for range warmUps {
			if _, err := c.sample(x, p); err != nil {
				return out, err
			}
		}
	}
	for more := true; more; {
		more = false
		for _, i := range rand.Perm(len(c.all)) {
			x := c.all[i]
			if len(x.samples) >= checkLeast && (x.spent >= checkSpend || len(x.samples) >= checkMost) {
				continue
			}
			more = true
			took, err := c.sample(x, p)
			if err != nil {
				return out, err
			}
			x.spent += took
			x.samples = append(x.samples, took.Seconds()/float64(batch(p)))
		}
	}
	out = Checked{Type: p.Type.String(), Items: p.Items, Choice: c.all[0].choice, Auto: stat.Median(c.all[0].samples), Forced: map[string]float64{}}
	for _, x := range c.all[1:] {
		out.Forced[x.id] = stat.Median(x.samples)
	}
	return out, nil
}

// batch is the number of sorts of one sample.
func batch(p plan.Problem) uint64 { return max(1, checkBatch/p.Items) }

// sample sorts a batch of inputs, one after the other.
func (c *checker) sample(x *contender, p plan.Problem) (time.Duration, error) {
	words, sorts := (p.KeyBytes()+7)/8, batch(p)
	c.input(min(words*sorts, uint64(len(c.work))))
	start := time.Now()
	for i := range sorts {
		at := i * words % (uint64(len(c.work)) - words + 1)
		r, err := x.e.Sort(c.ctx, op.Job{Spec: p, At: op.Memory{unsafe.Pointer(&c.work[at])}})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", x.id, err)
		}
		x.choice = r.Device
	}
	return max(time.Since(start), 1), nil
}

// input makes n words of input anew. One goroutine copies 4 GB/s, so that it would
// take longer than the sorts.
func (c *checker) input(n uint64) {
	const unit = 1 << 20
	var wg sync.WaitGroup
	for from := uint64(0); from < n; from += unit {
		to := min(from+unit, n)
		if n <= unit {
			copy(c.work[from:to], c.source[from:to])
			return
		}
		wg.Go(func() { copy(c.work[from:to], c.source[from:to]) })
	}
	wg.Wait()
}
