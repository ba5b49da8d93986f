package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// wanted says what the flags of the flag library's own types take.
var wanted = map[string]string{
	"uint64":   "a whole number from 0 on",
	"int":      "a whole number",
	"float64":  "a number",
	"duration": "a time such as 500ms, 10s or 2m",
	"bool":     "true or false",
}

// flagError says what a flag takes where the flag library says which function of Go
// could not read it.
func flagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	want, ok := wanted[bad.GetFlag().Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s %q: give %s", bad.GetFlag().Name, bad.GetValue(), want)
}
