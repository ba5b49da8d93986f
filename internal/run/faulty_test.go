package run

import (
	"io"
	"runtime"
	"sync/atomic"
)

// fault panics with itself, or calls runtime.Goexit, at one of its calls.
type fault struct {
	left atomic.Int64
	exit bool
}

func (f *fault) call() {
	if f.left.Add(-1) != 0 {
		return
	}
	if f.exit {
		runtime.Goexit()
	}
	panic(f)
}

// faulty is a format with a fault in one of its methods.
type faulty struct {
	Format
	in string
	*fault
}

func (f faulty) at(method string) {
	if f.in == method {
		f.call()
	}
}

func (f faulty) Cut(b []byte) (int, error) {
	f.at("cut")
	return f.Format.Cut(b)
}

func (f faulty) Split(b []byte, ends []uint32) []uint32 {
	f.at("split")
	return f.Format.Split(b, ends)
}

func (f faulty) End(b []byte) ([]byte, int64, error) {
	f.at("end")
	return f.Format.End(b)
}

func (f faulty) Delimiter() int {
	f.at("delimiter")
	return f.Format.Delimiter()
}

func (f faulty) Encoder() func(dst, row []byte) ([]byte, error) {
	f.at("encoder")
	return f.key(f.Format.Encoder())
}

func (f faulty) key(keys func(dst, row []byte) ([]byte, error)) func(dst, row []byte) ([]byte, error) {
	if keys == nil || f.in != "key" {
		return keys
	}
	return func(dst, row []byte) ([]byte, error) {
		f.call()
		return keys(dst, row)
	}
}

// faultyFile is an input and output with a fault.
type faultyFile struct {
	io.ReadCloser
	faulty
}

func (f faultyFile) Read(b []byte) (int, error) {
	f.at("read")
	return f.ReadCloser.Read(b)
}

func (f faultyFile) Close() error {
	err := f.ReadCloser.Close()
	f.at("close")
	return err
}

func (f faultyFile) Map(before int) (*Mapped, error) { return MapRest(f.ReadCloser, before) }

func (f faultyFile) Write(b []byte) (int, error) {
	f.at("write")
	return len(b), nil
}

// callbacks are where faults are.
var callbacks = []string{"open", "read", "close", "write", "cut", "split", "end", "delimiter", "encoder", "key",
	"observer", "observe", "seen", "phase", "moved", "heap", "count", "unique"}

// install has a fault in one callback of options and inputs.
func (f *fault) install(o Options, inputs []Input, in string) (Options, []Input, io.Writer) {
	format := faulty{o.Format, in, f}
	o.Format = format
	for i, open := range inputs {
		inputs[i] = func() (io.ReadCloser, error) {
			format.at("open")
			r, err := open()
			return faultyFile{r, format}, err
		}
	}
	switch in {
	case "observer", "observe", "seen":
		o.Observe = func() func(Seen) func(int, int64, int64) {
			format.at("observer")
			return func(Seen) func(int, int64, int64) {
				format.at("observe")
				return func(int, int64, int64) { format.at("seen") }
			}
		}
	case "count":
		o.Unique, o.Count = true, func(dst []byte, n int64) []byte {
			f.call()
			return countOf(dst, n)
		}
	case "unique":
		if unique := o.UniqueBy; unique != nil {
			format.in = "key"
			o.UniqueBy = func() func(dst, row []byte) ([]byte, error) { return format.key(unique()) }
		}
	}
	o.Phase = func(string, int64) func(int64) {
		format.at("phase")
		return func(int64) { format.at("moved") }
	}
	o.Heap = func(int64) int64 {
		format.at("heap")
		return 0
	}
	return o, inputs, faultyFile{nil, format}
}
