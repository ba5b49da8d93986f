// Package lazy makes what few commands need when it is first asked for, and not
// when the program starts.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp compiles an expression at the first call. One that is wrong panics then.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
