package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/intercept"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestGroupLosesFinished loses a device that has done its part while the other one's copies of
// its share are queued. No call on either fails by itself, but what is copied is anything: the
// sort must notice.
func TestGroupLosesFinished(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 700}
	for name, sort := range map[string]func(e *Engine) (err, wrong error){
		"host memory": func(e *Engine) (error, error) {
			j, want := testJob(p)
			_, err := e.Sort(context.Background(), j)
			return err, sameJob(j, want)
		},
		"devices' memory": func(e *Engine) (error, error) {
			j, _ := testJob(p)
			keys, err := e.AllocSpread(j.Items, 8)
			if err != nil {
				return err, nil
			}
			defer keys.Close()
			off := uint64(0)
			for _, part := range keys.Parts() {
				if err := part.Upload(context.Background(), unsafe.Add(j.At[op.KeysIO], off)); err != nil {
					return err, nil
				}
				off += part.Bytes
			}
			_, err = e.RunSpread(context.Background(), j.Spec, keys, nil)
			return err, errors.New("a device was lost before the end")
		},
	} {
		t.Run(name, func(t *testing.T) {
			copies := loseFinished(t, 0, sort)
			if copies < 2 {
				t.Errorf("the second device copied %d times from the first: the test saw nothing", copies)
			}
			for k := 1; k <= copies; k++ {
				loseFinished(t, k, sort)
			}
		})
	}
}

// loseFinished sorts on two devices and loses the first when the second has queued its k-th
// copy from it, and the first has nothing more to do. It returns how many such copies there are.
func loseFinished(t *testing.T, k int, sort func(e *Engine) (err, wrong error)) int {
	t.Helper()
	drv := newGroupFake(fake.Linked, 2)
	var mu sync.Mutex
	calls, copies, second := 0, 0, map[string]bool{} // second: the second device's queues
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return calls
	}
	e, err := groupEngine(t, intercept.Wrap(drv, func(c *intercept.Call, do func() error) error {
		err := do()
		mu.Lock()
		calls++
		if c.Method == "Device.NewQueue" && strings.HasSuffix(c.On, "1") {
			second[c.Made] = true
		}
		lose := false
		if c.Method == "Queue.CopyPeer" && second[c.On] {
			copies++
			lose = copies == k
		}
		mu.Unlock()
		if lose {
			for before := -1; before != count(); time.Sleep(20 * time.Millisecond) {
				before = count()
			}
			drv.Lose(0)
		}
		return err
	}), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.exec.HostCopies = true
	err, wrong := sort(e)
	switch {
	case k == 0 && err != nil:
		t.Errorf("without a loss: %v", err)
	case k != 0 && err == nil && wrong != nil:
		t.Errorf("copy %d of the second device: success, but %v", k, wrong)
	case err != nil && !errors.Is(err, driver.ErrDeviceLost):
		t.Errorf("copy %d of the second device: %v", k, err)
	}
	_ = e.Close()
	return copies
}
