package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/lab/grid"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// writeGrid judges --of against the peers of --against.
func (r *reportCmd) writeGrid(c *cobra.Command, files []string, filters []filter) error {
	write := grid.Page.WriteMarkdown
	switch ext := strings.ToLower(filepath.Ext(r.output)); {
	case r.json, ext == ".json":
		write = grid.Page.WriteJSON
	case ext == ".html", ext == ".htm":
		write = grid.Page.WriteHTML
	case ext != "" && ext != ".md" && ext != ".markdown":
		return usagef(c, "-o %s: with --against the page is .md, .html or .json", r.output)
	}
	var in []grid.File
	for _, name := range files {
		recs, err := result.ReadFile(name)
		if err != nil {
			return fmt.Errorf("%w: --against takes results of 'gpusort bench --json'", err)
		}
		in = append(in, grid.File{Path: published(name), Link: r.link(name), Records: recs})
	}
	for _, f := range filters {
		left := 0
		for i := range in {
			var kept []result.Record
			for _, rec := range in[i].Records {
				if f.keep(rec.Cell) {
					kept = append(kept, rec)
				}
			}
			in[i].Records = kept
			left += len(kept)
		}
		if left == 0 {
			return f.none
		}
	}
	page, err := grid.Judge(in, grid.Options{Of: r.of, Against: r.against, Title: r.title, Command: commandLine(c, files)})
	if err != nil {
		return err
	}
	out, err := r.create(r.output, format.Text)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := write(page, out); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	if out.file != nil {
		fmt.Fprintf(r.err, "gpusort: wrote %s: %s\n", r.output, page.Verdict())
	}
	return nil
}

// link is the way from the page to a file of results if both lie below the
// working directory, or the file below the page; else the file's name alone:
// pages are published.
func (r *reportCmd) link(name string) string {
	if r.output == "" || r.output == "-" {
		return filepath.ToSlash(published(name))
	}
	to, err1 := filepath.Abs(name)
	from, err2 := filepath.Abs(filepath.Dir(r.output))
	if err1 == nil && err2 == nil {
		rel, err := filepath.Rel(from, to)
		if err == nil && (filepath.IsLocal(rel) || filepath.IsLocal(name) && filepath.IsLocal(r.output)) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(name)
}
