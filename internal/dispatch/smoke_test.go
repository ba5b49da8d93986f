package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var include = regexp.MustCompile(`(?m)^#include "([^"]+)"\n`)

func source(file string) []byte {
	text, err := os.ReadFile(filepath.Join("../../kernels/opencl", file))
	if err != nil {
		panic(err)
	}
	return include.ReplaceAllFunc(text, func(line []byte) []byte {
		return source(string(include.FindSubmatch(line)[1]))
	})
}

func diskImages(backend, module string) ([]driver.Image, error) {
	name, options := kernel.SplitVariant(module)
	text := source(name + ".cl")
	h := sha256.Sum256(append([]byte(options), text...))
	return []driver.Image{{Name: name, Format: driver.OpenCLC, Options: options, Data: text, Hash: hex.EncodeToString(h[:])}}, nil
}

func TestSmoke(t *testing.T) {
	e, err := New(Config{Device: "opencl:0", Images: diskImages})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, lim := range []uint64{0, 40 << 20} {
		e.cfg.MemoryLimit = lim
		for _, m := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
			for _, n := range []uint64{0, 1, 1000, 100000, 3000000} {
				p := plan.Problem{Type: key.F32, Mode: m, Items: n, Order: key.Order{Desc: true}}
				if m != plan.Keys {
					p.ValueBytes = 4
				}
				start := time.Now()
				j, want := testJob(p)
				t.Log(time.Since(start))
				r, err := e.Sort(context.Background(), j)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", r)
				if err := sameJob(j, want); err != nil {
					t.Errorf("%v %d: %v", m, n, err)
				}
			}
		}
	}
}
