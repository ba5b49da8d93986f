package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNumbersInOwnWords gives every flag of every command a value that it cannot take:
// no message holds words of Go's library.
func TestNumbersInOwnWords(t *testing.T) {
	a := &app{}
	tried := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			err := c.ParseFlags([]string{"--" + f.Name + "=-1x"})
			if err == nil {
				return
			}
			tried++
			text := flagError(err).Error()
			if strings.Contains(text, "strconv") || strings.Contains(text, "time:") || !strings.Contains(text, "--"+f.Name) {
				t.Errorf("%s --%s: %s", c.Name(), f.Name, text)
			}
		})
	}
	visit(a.root())
	if tried < 20 {
		t.Errorf("only %d flags refuse -1x", tried)
	}
}
