package grade

import (
	"strings"
	"sync"
	"unicode"
)

// excerpt keeps the beginning and the end of what is written to it.
type excerpt struct {
	mu        sync.Mutex
	head, end []byte
	cut       bool
}

const (
	headBytes = 1024
	tailBytes = 4096
)

// Write never fails, so that a submission that prints much is not held up.
func (t *excerpt) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(p), headBytes-len(t.head))
	t.head = append(t.head, p[:n]...)
	t.end = append(t.end, p[n:]...)
	if over := len(t.end) - tailBytes; over > 0 {
		t.end, t.cut = append(t.end[:0], t.end[over:]...), true
	}
	return len(p), nil
}

// String returns what can be printed of it: control characters could rewrite
// what a terminal shows of the grade.
func (t *excerpt) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := string(t.head)
	if t.cut {
		s += "\n[…]\n"
	}
	return clean(s + string(t.end))
}

// clean is what can be printed of a text: control characters could rewrite what
// a terminal shows of the grade.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '·'
	}, s)
}

// clip shortens a compiler's messages; the first are the ones that matter.
func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > tailBytes {
		s = s[:tailBytes] + " …"
	}
	return s
}
