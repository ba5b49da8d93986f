package run

import (
	"errors"
	"sync"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
)

// crew is goroutines that work for one caller. What ends one of them early, a panic or
// runtime.Goexit, ends the caller too: where it happens nobody could recover it.
type crew struct {
	wg    sync.WaitGroup
	stop  func() // has all that still works come to an end; it may be called more than once
	early team.Early
}

// errEarlyEnd is the error of goroutines which go on no more because another one ended early.
// Nobody sees it: that goroutine's panic comes instead.
var errEarlyEnd = errors.New("a goroutine of the sort ended early")

// begin has a goroutine do the work.
func (c *crew) begin(work func()) {
	c.wg.Go(func() { c.early.Do(work, c.stop) })
}

// lead does the caller's part of the work, has end tell the goroutines that no more comes, and
// waits. After a panic of its part all have ended, too.
func (c *crew) lead(work, end func()) {
	returned := false
	defer func() {
		if !returned {
			c.stop()
			end()
			c.wg.Wait()
		}
	}()
	work()
	returned = true
	end()
	c.wait()
}

// wait returns when all goroutines have ended. If one ended early, so does the caller.
func (c *crew) wait() {
	c.wg.Wait()
	c.early.Repeat()
}
