package rows

import (
	"io"
	"iter"
	"os"

	"github.com/gpusort/gpusort/internal/run"
)

// Source is where rows come from: Lines, Delimited, Seq, CSV, JSONLines or Records. A source is
// read once.
type Source struct {
	inputs []run.Input
	seq    iter.Seq2[[]byte, error] // of Seq, whose one input is made of it
	kind   kind
	delim  byte
}

// Sink is where rows go.
type Sink struct{ w io.Writer }

// Lines are the lines of readers, one after another. A last line without a newline gets
// one. The rows of an *os.File that is a regular file may stay in it until they are written: if
// what was there is written before, that is an error.
func Lines(readers ...io.Reader) Source { return Delimited('\n', readers...) }

// Delimited is Lines for rows that end with another byte than a newline.
func Delimited(end byte, readers ...io.Reader) Source {
	s := Source{inputs: []run.Input{}, delim: end}
	for _, r := range readers {
		s.inputs = append(s.inputs, func() (io.ReadCloser, error) {
			if f, ok := r.(*os.File); ok {
				return run.FileInput(f, true), nil
			}
			return io.NopCloser(r), nil
		})
	}
	return s
}

// Seq are rows without newlines, which are written as lines. The first error ends the
// sort.
func Seq(rows iter.Seq2[[]byte, error]) Source {
	return Source{delim: '\n', inputs: make([]run.Input, 1), seq: rows}
}

// LinesTo writes rows with the bytes that they end with.
func LinesTo(w io.Writer) Sink { return Sink{w} }

// pulled reads the rows of an iterator, which begins with open.
type pulled struct {
	rows iter.Seq2[[]byte, error]
	next func() ([]byte, error, bool)
	stop func()
	rest []byte
	more bool // a newline follows the rest
}

func (p *pulled) open() (io.ReadCloser, error) {
	p.next, p.stop = iter.Pull2(p.rows)
	return p, nil
}

func (p *pulled) Read(b []byte) (n int, err error) {
	for n < len(b) {
		switch {
		case len(p.rest) > 0:
			k := copy(b[n:], p.rest)
			p.rest, n = p.rest[k:], n+k
		case p.more:
			b[n], p.more = '\n', false
			n++
		default:
			row, err, ok := p.next()
			if !ok {
				return n, io.EOF
			}
			if err != nil {
				return n, err
			}
			p.rest, p.more = row, true
		}
	}
	return n, nil
}

// Close ends the iterator, if it has begun.
func (p *pulled) Close() error {
	if p.stop != nil {
		p.stop()
	}
	return nil
}
