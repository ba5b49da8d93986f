package ncu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrAbsent says that the tool is not on the PATH.
var ErrAbsent = errors.New("no ncu on the PATH: with Nsight Compute there, achieved occupancy and throughput are shown")

// invocations are those of each kernel that are measured, by their numbers as a
// regular expression: the first eight and every fiftieth. The tool runs a kernel
// several times for each, and a network of hundreds of like launches would take
// minutes.
const invocations = "[1-8]|[0-9]*[05]0"

// Run runs a command under the tool and returns what it measured of the kernels
// whose names begin with prefix, over some of the launches of each. The command's own output is dropped.
func Run(ctx context.Context, prefix string, command ...string) ([]Kernel, error) {
	path, err := exec.LookPath("ncu")
	if err != nil {
		return nil, ErrAbsent
	}
	dir, err := os.MkdirTemp("", "gpusort-ncu-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "log")
	var list []string
	for _, m := range Metrics {
		list = append(list, m.Name)
	}
	args := append([]string{"--csv", "--page", "raw", "--log-file", log, "--kernel-id", "::regex:^" + prefix + ":" + invocations,
		"--metrics", strings.Join(list, ",")}, command...)
	c := exec.CommandContext(ctx, path, args...)
	var errText bytes.Buffer
	c.Stderr = &errText
	runErr := c.Run()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, fmt.Errorf("ncu: %s", complaint(errText.String()))
	}
	kernels, err := parse(string(text))
	if err == nil && runErr != nil {
		err = fmt.Errorf("ncu: %w: %s", runErr, complaint(errText.String()))
	}
	return kernels, err
}
