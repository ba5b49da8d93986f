package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// trust runs the self-test on an OpenCL device before "auto" uses it, once per
// device, driver version and device code: OpenCL compilers that get sorts wrong
// are known. CUDA code is compiled by us and needs none. The result is kept in
// the user's cache directory; where that cannot be written the test, a fraction
// of a second, runs once per process.
func (d *device) trust() error {
	if d.Caps().Backend != "opencl" {
		return nil
	}
	d.trustOnce.Do(func() {
		path := d.trustPath()
		if path != "" {
			if _, err := os.Stat(path); err == nil {
				return
			}
		}
		for _, r := range d.selfTest(context.Background(), shortTest) {
			if r.Err != nil {
				d.distrust = fmt.Errorf("%s %v %v n=%d: %w", r.Algorithm, r.Type, r.Mode, r.Items, r.Err)
				return
			}
		}
		if path == "" {
			return
		}
		// A result that cannot be kept costs a repeated test, nothing else.
		_ = cachedir.Write(path, fmt.Appendf(nil, "%s\n%s\n%s\n", d.ID(), d.Caps().Name, d.Caps().DriverVersion))
	})
	return d.distrust
}

// trustPath names the file whose existence says that the device has passed; ""
// if there is no cache directory.
func (d *device) trustPath() string {
	c := d.Caps()
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q\n", c.Backend, c.Vendor, c.Name, c.DriverVersion)
	for _, a := range d.e.algorithms() {
		p, err := a.Plan(plan.Problem{Type: typical, Items: 1 << 17}, c, algo.Params{})
		if err != nil {
			continue
		}
		for _, st := range p.Steps {
			images, err := d.e.exec.Code(c.Backend, st.Kernel.Module)
			if st.Op == plan.OpLaunch && err == nil {
				for _, i := range images {
					fmt.Fprintf(h, "%s %s\n", i.Name, i.Hash)
				}
			}
		}
	}
	path, err := cachedir.Path("selftest", hex.EncodeToString(h.Sum(nil)[:16]))
	if err != nil {
		return ""
	}
	return path
}
