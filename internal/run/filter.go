package run

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
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

// filtered reads the next block of a run from the program.
func (s *spill) filtered(buf []byte) (rows []byte, err error) {
	p := s.filter
	if p.out == nil {
		if _, err := s.f.Seek(0, io.SeekStart); err != nil {
			return nil, s.explain("reading", err)
		}
		if err := p.start(s.f, true); err != nil {
			return nil, err
		}
	}
	var head [headBytes]byte
	if _, err := io.ReadFull(p.out, head[:]); err == io.EOF {
		err := p.cmd.Wait()
		p.cmd = nil
		if err != nil {
			return nil, p.explain(err)
		}
		if s.left != 0 {
			return nil, p.explain(io.ErrUnexpectedEOF)
		}
		return buf[:0], io.EOF
	} else if err != nil {
		return nil, p.explain(err)
	}
	n := int64(binary.LittleEndian.Uint64(head[:]))
	if n <= 0 || n > s.left-headBytes {
		return nil, p.explain(errBlock)
	}
	if s.left -= headBytes + n; int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	rows = buf[:n]
	if _, err := io.ReadFull(p.out, rows); err != nil {
		return nil, p.explain(noEOF(err))
	}
	if crc32.Checksum(rows, castagnoli()) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, p.explain(errBlock)
	}
	return rows, nil
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
