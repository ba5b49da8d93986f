package result

import (
	"fmt"
	"io"
	"strings"
)

// WriteGo writes Go's benchmark format, one line per sample, so that benchstat
// reads it: ns/op is the time that the cell is judged by, and a device sort
// has wall-ns/op beside it. Cells that are not OK become comments.
func WriteGo(w io.Writer, recs []Record) error {
	var b strings.Builder
	device := ""
	for i, r := range recs {
		if i == 0 {
			fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: github.com/gpusort/gpusort\n", r.Env.OS, r.Env.Arch)
			for _, kv := range [][2]string{{"cpu", r.Env.CPU}, {"commit", r.Env.Commit}} {
				if kv[1] != "" {
					fmt.Fprintf(&b, "%s: %s\n", kv[0], kv[1])
				}
			}
		}
		if r.Env.Device != device {
			device = r.Env.Device
			fmt.Fprintf(&b, "device: %s\n", device)
		}
		if r.Status != OK {
			fmt.Fprintf(&b, "# %s: %s: %s\n", r.Case, r.Status, strings.ReplaceAll(r.Reason, "\n", " "))
			continue
		}
		for i, ns := range r.Main() {
			fmt.Fprintf(&b, "BenchmarkSort/%s 1 %.0f ns/op %.6g keys/s", r.Case, ns, r.Rate(ns))
			if len(r.DeviceNS) > 0 && i < len(r.WallNS) {
				fmt.Fprintf(&b, " %d wall-ns/op", r.WallNS[i])
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
