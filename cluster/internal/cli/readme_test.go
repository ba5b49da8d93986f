package cli

import (
	"os"
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagsExist: each flag that the page names is one of a sub-command.
func TestFlagsExist(t *testing.T) {
	all := map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
		for _, c := range c.Commands() {
			visit(c)
		}
	}
	visit((&app{}).root())
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`--([a-z][a-z0-9-]*)`).FindAllSubmatch(text, -1)
	for _, m := range flags {
		if !all[string(m[1])] {
			t.Errorf("no command has the flag --%s", m[1])
		}
	}
	if len(flags) < 20 {
		t.Errorf("only %d flags found", len(flags))
	}
}

// TestSizes: sizes are KiB unless they have a suffix.
func TestSizes(t *testing.T) {
	for text, want := range map[string]sizeValue{"1": 1 << 10, "512b": 512, "64M": 64 << 20, "1.5GiB": 3 << 29, "2G": 2 << 30, "1T": 1 << 40, "7KB": 7 << 10} {
		var v sizeValue
		if err := v.Set(text); err != nil || v != want {
			t.Errorf("%s is %d, %v; want %d", text, v, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1Q", "M", "1e30G", "5 M"} {
		var v sizeValue
		if v.Set(text) == nil {
			t.Errorf("%q is %d", text, v)
		}
	}
}
