package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/internal/kernel"
)

// Version is the release, set by the linker; "devel" otherwise.
var Version = ""

// versionInfo says what was built, from what, and how.
type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified"` // the sources differed from the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
	GPU      bool   `json:"gpu"`     // built with the CUDA and OpenCL drivers
	Kernels  string `json:"kernels"` // hash of the embedded device code
}

func readVersion() versionInfo {
	v := versionInfo{Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, GPU: withGPU, Kernels: kernel.Hash()}
	b, ok := debug.ReadBuildInfo()
	if v.Version == "" {
		v.Version = "devel"
		if ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
			v.Version = b.Main.Version
		}
	}
	if !ok {
		return v
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	if v.Revision == "" {
		v.Revision, v.Modified = strings.CutSuffix(run.Revision, "-modified")
	}
	return v
}

// line is the version for people.
func (v versionInfo) line() string {
	line := "gpusort " + v.Version
	if len(v.Revision) >= 12 {
		line += " (" + v.Revision[:12]
		if v.Modified {
			line += ", modified"
		}
		line += ")"
	}
	line += fmt.Sprintf(" %s %s", v.Go, v.Platform)
	if !v.GPU {
		line += ", CPU only"
	}
	return line
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print version and build",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			if asJSON {
				return printJSON(a.out, v)
			}
			fmt.Fprintln(a.out, v.line())
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}
