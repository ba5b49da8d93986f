package variant

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Env is the environment variable that names a variant's folder, as an absolute
// path: nothing is ever looked for in the working directory.
const Env = "GPUSORT_VARIANT"

// Active returns the variant that the environment names, nil where it names
// none. It is read once; standard error then says that other code than the
// embedded one runs, or why it cannot. After an error, package kernel gives out
// no CUDA code, so that no run is mistaken for one of the variant.
var Active = sync.OnceValues(func() (*Variant, error) { return activate(os.Getenv(Env), os.Stderr) })

func activate(dir string, warn io.Writer) (*Variant, error) {
	if dir == "" {
		return nil, nil
	}
	v, err := named(dir)
	if err != nil {
		err = fmt.Errorf("%s=%s: %w; it names a folder of a variant that tools/cmd/tune built, or is unset", Env, dir, err)
		fmt.Fprintf(warn, "gpusort: warning: no CUDA code is run: %v\n", err)
		return nil, err
	}
	fmt.Fprintf(warn, "gpusort: warning: %s: on compute capability 9.0, %s runs as %s (%s), not as this build has it; for development only\n",
		Env, v.Module, v.Name, filepath.Join(dir, v.CodeFile()))
	return v, nil
}

func named(dir string) (*Variant, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("not an absolute path")
	}
	return Load(dir)
}
