// Command manual writes what a package of gpusort holds beside the program: manual
// pages (man1/gpusort*.1) and shell completions, generated from the command's own
// help. It is no sub-command, so that gpusort links no generator.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/gpusort/gpusort/cmd/internal/cli"
)

func main() {
	out := flag.String("o", "", "folder to write to")
	version := flag.String("version", "devel", "release that the pages name")
	date := flag.Int64("date", 0, "date that the pages name, in seconds since 1970")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "manual: no folder to write to: give -o")
		os.Exit(2)
	}
	if err := write(*out, *version, time.Unix(*date, 0).UTC()); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write makes man1, bash/gpusort, zsh/_gpusort and fish/gpusort.fish below dir. The
// same arguments give the same bytes.
func write(dir, version string, date time.Time) error {
	for _, sub := range []string{"man1", "bash", "zsh", "fish"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	root := cli.Tree()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "gpusort " + version, Manual: "gpusort", Date: &date}
	if err := doc.GenManTree(root, header, filepath.Join(dir, "man1")); err != nil {
		return fmt.Errorf("manual pages: %w", err)
	}
	if err := root.GenBashCompletionFileV2(filepath.Join(dir, "bash", "gpusort"), true); err != nil {
		return fmt.Errorf("completions for bash: %w", err)
	}
	if err := root.GenZshCompletionFile(filepath.Join(dir, "zsh", "_gpusort")); err != nil {
		return fmt.Errorf("completions for zsh: %w", err)
	}
	if err := root.GenFishCompletionFile(filepath.Join(dir, "fish", "gpusort.fish"), true); err != nil {
		return fmt.Errorf("completions for fish: %w", err)
	}
	return nil
}
