package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// filter is a program through which a run goes to its file, and, with -d, back.
type filter struct {
	name string
	cmd  *exec.Cmd       // that is running, or nil
	ctx  context.Context // in which it runs
	stop func()          // ends it
	said bytes.Buffer
	in   io.WriteCloser // to the program, while the run is written
	out  *bufio.Reader  // from it, while the run is read
}

// lingers is how long what a program has started may hold its standard error once it has ended.
const lingers = time.Second

// starting has one program start at a time, for the files that it takes then.
var starting sync.Mutex

// startFiles is how many files a run has open while its program starts: its own, pipes, what
// tells of the start, and the program. Half of them stay until that ends.
const startFiles = 8

// start runs the program on the run's file until ctx ends.
func (p *filter) start(ctx context.Context, f *os.File, back bool) (err error) {
	starting.Lock()
	defer starting.Unlock()
	args := []string{}
	if back {
		args = append(args, "-d")
	}
	p.ctx, p.stop = context.WithCancel(ctx)
	cmd := exec.CommandContext(p.ctx, p.name, args...)
	p.said.Reset()
	cmd.Stderr = &p.said
	var pipe io.Closer
	if back {
		cmd.Stdin = f
		var out io.ReadCloser
		out, err = cmd.StdoutPipe()
		p.out, pipe = bufio.NewReaderSize(out, 64<<10), out
	} else {
		cmd.Stdout = f
		p.in, err = cmd.StdinPipe()
		pipe = p.in
	}
	// A wrapper's own programs are not killed with it: without the pipe they end, too.
	cmd.Cancel = func() error {
		pipe.Close()
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = lingers
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.stop()
		return p.explain(err)
	}
	p.cmd = cmd
	return nil
}

func (p *filter) explain(err error) error {
	if said := bytes.TrimSpace(p.said.Bytes()); len(said) > 0 {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return fmt.Errorf("temporary files through %s (--compress-program): %w", p.name, err)
}

var (
	errEarly = errors.New("it ended before it had read everything")
	errOther = errors.New("with -d it gives other bytes than it got: the program, the disk or the memory is faulty")
)

// written waits until the program has written all that it got.
func (p *filter) written() error {
	if p.cmd == nil {
		return nil
	}
	closed := p.in.Close()
	if err := p.ended(); err != nil {
		return err
	}
	if closed != nil {
		return p.explain(closed)
	}
	return nil
}

// ended waits for the program, which gets and gives nothing any more.
func (p *filter) ended() error {
	err := p.cmd.Wait()
	stopped := p.ctx.Err()
	p.stop()
	p.cmd = nil
	if stopped != nil {
		return stopped
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return p.explain(err)
	}
	return nil
}

// close ends the program.
func (p *filter) close() {
	if p.cmd != nil {
		p.stop()
		_ = p.ended()
	}
}
