package kernel

import "strings"

// Variant returns the entry point in a build of the module with the given
// preprocessor macros ("NAME" or "NAME=VALUE"), for OpenCL programs, which are
// built on the device's machine: a program then holds only what it runs. The
// module's name becomes "lsd:NAME,NAME=VALUE".
func (id ID) Variant(macros ...string) ID {
	id.Module += ":" + strings.Join(macros, ",")
	return id
}

// SplitVariant takes a module name apart into the embedded module's name and
// the build options that its macros stand for.
func SplitVariant(module string) (name, options string) {
	name, macros, found := strings.Cut(module, ":")
	if !found {
		return name, ""
	}
	return name, "-D" + strings.ReplaceAll(macros, ",", " -D")
}
