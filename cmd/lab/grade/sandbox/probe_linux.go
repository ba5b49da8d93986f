//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ProbeCommand is the argument under which a confined process calls Answer.
const ProbeCommand = "probe"

// Answer tells Probe, on standard output, what confines this process.
func Answer() error {
	l := Layers{Landlock: landlockVersion() > 0, Filter: Filter(Calls{}) == nil}
	return json.NewEncoder(os.Stdout).Encode(l)
}

// Probe finds out what this machine can do, by starting processes that do no
// more than answer. dir is an empty folder.
func Probe(ctx context.Context, command []string, dir string) Layers {
	var why string
	root := os.Getuid() == 0
	for _, s := range []Spec{{Namespaces: true, OwnUser: root}, {Namespaces: true}, {OwnUser: root}, {}} {
		s.Dir, s.Room = dir, 1<<20
		l, err := probe(ctx, command, s)
		if err == nil {
			l.Namespaces, l.OwnUser, l.Why = s.Namespaces, s.OwnUser, why
			return l
		}
		if why = err.Error(); s.Namespaces {
			why = "denied: " + why
		}
	}
	return Layers{Why: why}
}

// probeTime bounds the start of a process that answers at once.
const probeTime = 20 * time.Second

func probe(ctx context.Context, command []string, s Spec) (Layers, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], append(append([]string{}, command[1:]...), ProbeCommand)...)
	if err := Confine(c, s); err != nil {
		return Layers{}, err
	}
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			return Layers{}, fmt.Errorf("%s", text)
		}
		return Layers{}, err
	}
	var l Layers
	return l, json.Unmarshal(out.Bytes(), &l)
}
