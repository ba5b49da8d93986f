package cli

import (
	"context"
	"io"
	"os"
	"time"
)

// With the value Lease in LeaseVariable a task ends when its standard input does: whoever started it holds the other
// end of a pipe, which closes however that process ends.
const (
	LeaseVariable = "GPUSORT_CLUSTER_STDIN"
	Lease         = "lease"
)

var (
	exit     = os.Exit
	endGrace = 10 * time.Second // in which a task removes what it wrote
)

// leased returns a context that ends with the lease, if there is one.
func leased(ctx context.Context, in io.Reader) context.Context {
	if os.Getenv(LeaseVariable) != Lease {
		return ctx
	}
	ctx, end := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, in)
		end()
		time.Sleep(endGrace)
		exit(exitError)
	}()
	return ctx
}
