package cli

import (
	"context"
	"io"
	"testing"
	"time"
)

func TestTaskEndsWithItsLease(t *testing.T) {
	t.Setenv(LeaseVariable, Lease)
	ended := make(chan int, 1)
	defer func(was func(int)) { exit = was }(exit)
	exit = func(code int) { ended <- code }
	defer func(wait time.Duration) { endGrace = wait }(endGrace)
	endGrace = time.Millisecond
	held, end := io.Pipe()
	ctx := leased(context.Background(), held)
	if ctx.Err() != nil {
		t.Fatal("the task ended while its lease was held")
	}
	end.Close()
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
		t.Fatal("the task went on after its lease")
	}
	if code := <-ended; code != exitError {
		t.Errorf("exit code %d after the grace, want %d: another try may succeed", code, exitError)
	}
}

func TestTaskWithoutLeaseIgnoresItsInput(t *testing.T) {
	t.Setenv(LeaseVariable, "")
	read, end := io.Pipe()
	end.Close()
	if ctx := leased(context.Background(), read); ctx != context.Background() {
		t.Error("a task without a lease waits for its standard input")
	}
}
