package packed

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// members reads what gzip packed, one member after another. Zeros may stand behind the last
// one, as a tape's blocks have them; anything else there is an error.
type members struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func newMembers(in *bufio.Reader) (*members, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{in, z}, nil
}

// errTrailing is of bytes that gzip warns of and leaves out.
var errTrailing = errors.New("other bytes stand behind the gzip data: if they are not wanted, unpack by gzip -dc, which leaves them out")

// Read implements io.Reader.
func (m *members) Read(b []byte) (int, error) {
	for {
		n, err := m.z.Read(b)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil // the end comes again
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member; behind the last one it returns io.EOF.
func (m *members) next() error {
	zeros := false
	for {
		c, err := m.in.ReadByte()
		switch {
		case err != nil:
			return err // io.EOF is the end
		case c == 0:
			zeros = true
			continue
		case zeros || c != kinds[Gzip].magic[0]:
			return errTrailing
		}
		if err := m.in.UnreadByte(); err != nil {
			return err
		}
		if head, err := m.in.Peek(2); err == nil && head[1] != kinds[Gzip].magic[1] {
			return errTrailing
		}
		if err := m.z.Reset(m.in); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		m.z.Multistream(false)
		return nil
	}
}
