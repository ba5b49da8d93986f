package engine

import (
	"sync"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/intercept"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestGroupPaces: a device whose copies are slow has less of the third sort, and Explain says so.
func TestGroupPaces(t *testing.T) {
	var mu sync.Mutex
	owner := map[string]string{} // of queues
	drv := intercept.Wrap(newGroupFake(fake.Links(2), 2), func(c *intercept.Call, do func() error) error {
		err := do()
		mu.Lock()
		if c.Method == "Device.NewQueue" {
			owner[c.Made] = c.On
		}
		slow := c.Method == "Queue.CopyIn" && owner[c.On] == "d1"
		mu.Unlock()
		if slow {
			time.Sleep(10 * time.Millisecond)
		}
		return err
	})
	e, err := groupEngine(t, drv, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.exec.Sizes.PaceFrom = 1
	p := plan.Problem{Type: key.U64, Items: 3000}
	for range 3 {
		x, err := e.Explain(p)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(x.Shares)
		groupSortOnce(t, e, p, groupInputs["spread"], "slow")
	}
	x, err := e.Explain(p)
	if err != nil || len(x.Shares) != 2 || x.Shares[1].Items*2 > x.Shares[0].Items {
		t.Errorf("shares %v, %v", x.Shares, err)
	}
}
