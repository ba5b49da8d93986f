package op

import "fmt"

// Refused is what a call is refused for before it changes anything.
type Refused string

func (r Refused) Error() string { return string(r) }

// Refuse returns a Refused.
func Refuse(format string, args ...any) error { return Refused(fmt.Sprintf(format, args...)) }
