package run

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// filter is a program through which a run goes to its file, and, with -d, back.
type filter struct {
	name string
	cmd  *exec.Cmd // that is running, or nil
	said bytes.Buffer
	in   io.WriteCloser // to the program, while the run is written
	out  *bufio.Reader  // from it, while the run is read
}

// start runs the program on the run's file.
func (p *filter) start(f *os.File, back bool) (err error) {
	args := []string{}
	if back {
		args = append(args, "-d")
	}
	p.cmd = exec.Command(p.name, args...)
	p.said.Reset()
	p.cmd.Stderr = &p.said
	if back {
		p.cmd.Stdin = f
		var out io.ReadCloser
		if out, err = p.cmd.StdoutPipe(); err == nil {
			p.out = bufio.NewReaderSize(out, 64<<10)
		}
	} else {
		p.cmd.Stdout = f
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.cmd = nil
		return p.explain(err)
	}
	return nil
}

func (p *filter) explain(err error) error {
	if said := bytes.TrimSpace(p.said.Bytes()); len(said) > 0 {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return fmt.Errorf("temporary files through %s (--compress-program): %w", p.name, err)
}

// written waits until the program has written all that it got.
func (p *filter) written() error {
	if p.cmd == nil {
		return nil
	}
	err := p.in.Close()
	if e := p.cmd.Wait(); e != nil {
		err = e
	}
	p.cmd = nil
	if err != nil {
		return p.explain(err)
	}
	return nil
}

// ended waits for the program, all of whose output was read.
func (p *filter) ended() error {
	err := p.cmd.Wait()
	if p.cmd = nil; err != nil {
		return p.explain(err)
	}
	return nil
}

// close ends the program.
func (p *filter) close() {
	if p.cmd != nil {
		p.cmd.Process.Kill()
		if p.in != nil {
			p.in.Close()
		}
		p.cmd.Wait()
		p.cmd = nil
	}
}
