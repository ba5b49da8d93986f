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
	return shorter(strings.TrimSpace(s), tailBytes)
}

// shorter cuts what is longer than most bytes, between characters.
func shorter(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + " …"
	}
	return s
}

// lineBytes are as many as a cell of a table shows.
const lineBytes = 120

// Line is what a table shows in one line of a text that a student wrote: of a file's
// name or a message.
func Line(s string) string {
	return shorter(strings.Join(strings.Fields(clean(s)), " "), lineBytes)
}

// tame makes what a submission had a part in printable, and short.
func (r *Report) tame() {
	r.Refused, r.Sorter = clip(clean(r.Refused)), Line(r.Sorter)
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Reason, c.Fatal = clip(clean(c.Reason)), clip(clean(c.Fatal))
	}
}
