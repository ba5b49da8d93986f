package kernel

import (
	"fmt"
	"strings"
)

// Variant returns the entry point in a build of the module with the given
// preprocessor macros ("NAME" or "NAME=VALUE") and build options ("-option"),
// for OpenCL programs, which are built on the device's machine: a program then
// holds only what it runs. The module's name becomes "lsd:NAME,NAME=VALUE".
func (id ID) Variant(macros ...string) ID {
	id.Module += ":" + strings.Join(macros, ",")
	return id
}

// Macro defines a number for Variant.
func Macro[N ~int | ~uint32 | ~uint64](name string, value N) string {
	return fmt.Sprintf("%s=%d", name, value)
}

// SplitVariant takes a module name apart into the embedded module's name and
// the build options that follow it.
func SplitVariant(module string) (name, options string) {
	name, list, found := strings.Cut(module, ":")
	if !found {
		return name, ""
	}
	macros := strings.Split(list, ",")
	for i, m := range macros {
		if !strings.HasPrefix(m, "-") {
			macros[i] = "-D" + m
		}
	}
	return name, strings.Join(macros, " ")
}
