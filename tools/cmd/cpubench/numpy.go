package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// numpy is a child process that sorts arrays of its own on request: one line
// asks, one line answers with the seconds of thread CPU time.
type numpy struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startNumpy(python, script string) (*numpy, error) {
	n := &numpy{cmd: exec.Command(python, script, "-serve")}
	n.cmd.Stderr = os.Stderr
	var err error
	if n.in, err = n.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	n.out = bufio.NewReader(out)
	if err := n.cmd.Start(); err != nil {
		return nil, err
	}
	version, err := n.out.ReadString('\n')
	if err != nil {
		_ = n.cmd.Wait()
		return nil, fmt.Errorf("%s %s -serve does not answer: name a Python that has NumPy with -python", python, script)
	}
	fmt.Println("numpy", strings.TrimSpace(version))
	return n, nil
}

func (n *numpy) close() {
	_ = n.in.Close()
	_ = n.cmd.Wait()
}

// sort asks for one round of c on uniform keys.
func (n *numpy) sort(c cell, copies int) (time.Duration, error) {
	if c.dist != "uniform" || c.op == "pairs" {
		return 0, fmt.Errorf("NumPy is compared on keys and argsort of uniform keys")
	}
	if _, err := fmt.Fprintf(n.in, "%s %s %d %d\n", c.op, c.typ, c.n, copies); err != nil {
		return 0, err
	}
	line, err := n.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	var seconds float64
	if _, err := fmt.Sscan(line, &seconds); err != nil {
		return 0, err
	}
	return time.Duration(seconds * 1e9), nil
}
