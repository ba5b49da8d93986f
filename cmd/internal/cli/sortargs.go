package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// given is an option of a command line with its value.
type given struct {
	flag  *pflag.Flag
	value string
}

// sortOptions are the long options of sort(1). Their abbreviations mean them, whatever
// other flags there are.
var sortOptions = []string{
	"ignore-leading-blanks", "dictionary-order", "ignore-case", "general-numeric-sort", "ignore-nonprinting", "month-sort",
	"human-numeric-sort", "numeric-sort", "random-sort", "random-source", "reverse", "sort", "version-sort", "batch-size",
	"check", "compress-program", "debug", "files0-from", "key", "merge", "output", "stable", "buffer-size", "field-separator",
	"temporary-directory", "parallel", "unique", "zero-terminated", "help", "version",
}

// parseSort reads a command line as sort(1) does: options may be joined, abbreviated and
// stand behind files. It sets nothing.
func parseSort(fs *pflag.FlagSet, args []string) (options []given, files []string, err error) {
	_, strict := os.LookupEnv("POSIXLY_CORRECT")
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case a == "--":
			return options, append(files, args...), nil
		case strings.HasPrefix(a, "--"):
			name, value, joined := strings.Cut(a[2:], "=")
			f, err := longOption(fs, name)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case joined && f.Value.Type() == "bool" && value != "true" && value != "false":
				return nil, nil, fmt.Errorf("--%s takes no value: leave out %q", f.Name, "="+value)
			case joined:
			case f.NoOptDefVal != "":
				value = f.NoOptDefVal
			case len(args) == 0:
				return nil, nil, fmt.Errorf("flag needs an argument: --%s", f.Name)
			default:
				value, args = args[0], args[1:]
			}
			options = append(options, given{f, value})
		case len(a) > 1 && a[0] == '-':
			for rest := a[1:]; rest != ""; {
				if rest[0] == 'y' { // of old systems; as in sort(1) it means nothing
					if rest == "y" && len(args) == 0 {
						return nil, nil, errors.New("flag needs an argument: -y")
					}
					if rest == "y" && strings.Trim(args[0], "0123456789") == "" {
						args = args[1:]
					}
					break
				}
				f := fs.ShorthandLookup(rest[:1])
				if f == nil {
					return nil, nil, fmt.Errorf("unknown shorthand flag: %q in %s", rest[0], a)
				}
				if rest = rest[1:]; f.NoOptDefVal != "" {
					options = append(options, given{f, f.NoOptDefVal})
					continue
				}
				if rest == "" {
					if len(args) == 0 {
						return nil, nil, fmt.Errorf("flag needs an argument: -%s", f.Shorthand)
					}
					rest, args = args[0], args[1:]
				}
				options = append(options, given{f, rest})
				rest = ""
			}
		default:
			files = append(files, a)
			if strict {
				return options, append(files, args...), nil
			}
		}
	}
	return options, files, nil
}

// longOption finds a flag by its name or the beginning of it.
func longOption(fs *pflag.FlagSet, name string) (*pflag.Flag, error) {
	if f := fs.Lookup(name); f != nil {
		return f, nil
	}
	var all []string
	for _, n := range sortOptions {
		if strings.HasPrefix(n, name) {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		fs.VisitAll(func(f *pflag.Flag) {
			if strings.HasPrefix(f.Name, name) {
				all = append(all, f.Name)
			}
		})
	}
	switch len(all) {
	case 0:
		return nil, fmt.Errorf("unknown flag: --%s", name)
	case 1:
		if f := fs.Lookup(all[0]); f != nil {
			return f, nil
		}
		return nil, fmt.Errorf("--%s of sort(1) is not there", all[0])
	}
	slices.Sort(all)
	return nil, fmt.Errorf("--%s is ambiguous: it may be --%s", name, strings.Join(all, ", --"))
}

// canonical writes options and files so that any parser reads the same.
func canonical(options []given, files []string) []string {
	var args []string
	for _, o := range options {
		args = append(args, "--"+o.flag.Name+"="+o.value)
	}
	return append(append(args, "--"), files...)
}
