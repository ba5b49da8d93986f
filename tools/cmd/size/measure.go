package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/tools/internal/modproxy"
)

// measure makes importers beside the proxy, builds them and installs the command.
// After an error the rows so far stand.
func measure(repo string, p *modproxy.Proxy) (rows []row, err error) {
	rows = append(rows, row{what: "module zip that go get fetches", measured: p.Zips[modproxy.Root], bound: 10e6, unit: "MB"})

	files, err := modproxy.Files(repo)
	if err != nil {
		return rows, err
	}
	tree := row{what: "tracked tree", bound: 25e6, unit: "MB"}
	for _, name := range files {
		info, err := os.Stat(filepath.Join(repo, name))
		if err != nil {
			return rows, err
		}
		tree.measured += info.Size()
	}
	rows = append(rows, tree)

	lib, err := newImporter(p, "library", modproxy.Root)
	if err != nil {
		return rows, err
	}
	graph, err := p.Go(lib.dir, nil, "mod", "graph")
	if err != nil {
		return rows, err
	}
	rows = append(rows, row{what: "go mod graph of an importer", measured: int64(strings.Count(graph, "\n")), bound: 15, unit: "lines"})
	program, err := lib.build()
	if err != nil {
		return rows, err
	}
	rows = append(rows, program.size("program of gpusort, stripped", 13e6))

	cpu := row{what: "program of gpusort/cpu, stripped", bound: 3.5e6, unit: "MB"}
	if _, err := os.Stat(filepath.Join(repo, "cpu")); os.IsNotExist(err) {
		cpu.skipped = "no package cpu yet"
		rows = append(rows, cpu)
	} else {
		imp, err := newImporter(p, "processor", modproxy.Root+"/cpu")
		if err != nil {
			return rows, err
		}
		small, err := imp.build()
		if err != nil {
			return rows, err
		}
		rows = append(rows, small.size(cpu.what, cpu.bound))
		more, err := without(small, repo, "program of gpusort/cpu")
		rows = append(rows, more...)
		if err != nil {
			return rows, err
		}
	}

	images, err := readImages(repo)
	if err != nil {
		return rows, err
	}
	if got := images.in(program.data); got != len(images) {
		return rows, fmt.Errorf("the program of gpusort has %d of %d device images: the search for them is broken", got, len(images))
	}
	if _, err := install(repo, p, "gpusort"); err != nil {
		return rows, err
	}
	rows = append(rows, row{what: "faults of go install cmd/gpusort@" + p.Version, unit: "faults"})
	nogpu, err := install(repo, p, "gpusort-nogpu", "-tags", "nogpu")
	if err != nil {
		return rows, err
	}
	more, err := without(nogpu, repo, "gpusort -tags nogpu")
	return append(rows, more...), err
}

// without are the rows of a program that must be static and hold no device code.
func without(b binary, repo, what string) ([]row, error) {
	images, err := readImages(repo)
	if err != nil {
		return nil, err
	}
	needs, err := b.needs()
	if err != nil {
		return nil, err
	}
	return []row{
		{what: what + ": device images in it", measured: int64(images.in(b.data)), unit: "images"},
		{what: what + ": libraries it loads", measured: int64(len(needs)), unit: "libraries"},
	}, nil
}

// install runs what a user types for a tagged version, and the program once.
func install(repo string, p *modproxy.Proxy, name string, flags ...string) (binary, error) {
	for _, folder := range modproxy.Modules {
		if line, err := modproxy.Replaced(repo, folder); err != nil {
			return binary{}, err
		} else if line != "" {
			return binary{}, fmt.Errorf("%s/go.mod: %s: go install of a version refuses it; put it into go.work", folder, line)
		}
	}
	bin := filepath.Join(p.Dir, "bin", name)
	args := append([]string{"install", "-trimpath", "-ldflags", "-s -w"}, flags...)
	if _, err := p.Go(p.Dir, []string{"GOBIN=" + bin}, append(args, modproxy.Root+"/cmd/gpusort@"+p.Version)...); err != nil {
		return binary{}, err
	}
	b, err := readBinary(filepath.Join(bin, "gpusort"))
	if err != nil {
		return b, err
	}
	return b, b.runs("version")
}
