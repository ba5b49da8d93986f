package cli

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progressAfter is how long work lasts before a bar appears.
const progressAfter = time.Second

// progress shows the current phase as a bar on a terminal. Its methods do
// nothing where standard error is none.
type progress struct {
	w     io.Writer
	timer *time.Timer

	mu     sync.Mutex
	bars   *mpb.Progress // nil until progressAfter has passed
	bar    *mpb.Bar
	name   string
	total  int64
	unit   progressUnit
	done   *atomic.Int64 // bytes of the current phase
	closed bool
}

// progressUnit is what a phase counts.
type progressUnit uint8

const (
	byteUnit progressUnit = iota
	countUnit
)

// newProgress starts the clock. The caller calls close.
func (a *app) newProgress() *progress {
	p := &progress{w: a.bars}
	if a.errTerm {
		p.timer = time.AfterFunc(progressAfter, p.show)
	}
	return p
}

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.bars = mpb.New(mpb.WithOutput(p.w), mpb.WithWidth(60))
	p.draw()
}

// draw adds the bar of the current phase; the lock is held.
func (p *progress) draw() {
	if p.bars == nil || p.name == "" {
		return
	}
	label := decor.Name(p.name, decor.WC{W: 9, C: decor.DindentRight})
	if p.total <= 0 {
		p.bar = p.bars.New(0, mpb.SpinnerStyle().PositionLeft(), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(label),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
		return
	}
	p.bar = p.bars.New(p.total, mpb.BarStyle(), mpb.BarRemoveOnComplete(), mpb.PrependDecorators(label),
		mpb.AppendDecorators(p.counters(), decor.Percentage(decor.WCSyncSpace)))
	p.bar.SetCurrent(p.done.Load())
}

func (p *progress) counters() decor.Decorator {
	if p.unit == countUnit {
		return decor.CountersNoUnit("%d / %d")
	}
	return decor.CountersKibiByte("% .1f / % .1f")
}

// phase begins a phase of total bytes, 0 if unknown, and returns the function
// that counts them. Any goroutine may call it.
func (p *progress) phase(name string, total int64) func(int64) {
	return p.phaseOf(name, total, byteUnit)
}

// phaseOf is phase for what unit counts.
func (p *progress) phaseOf(name string, total int64, unit progressUnit) func(int64) {
	done := new(atomic.Int64)
	if p.timer == nil {
		return func(int64) {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return func(int64) {}
	}
	p.finish()
	p.name, p.total, p.unit, p.done = name, total, unit, done
	p.draw()
	return func(n int64) {
		at := done.Add(n)
		p.mu.Lock()
		if p.bar != nil && p.total > 0 && p.done == done {
			p.bar.SetCurrent(at)
		}
		p.mu.Unlock()
	}
}

// finish removes the current bar; the lock is held.
func (p *progress) finish() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.bar = nil
	}
}

// close removes the bar. Calling it again does nothing.
func (p *progress) close() {
	if p.timer == nil {
		return
	}
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	p.finish()
	if p.bars != nil {
		p.bars.Wait()
	}
}
