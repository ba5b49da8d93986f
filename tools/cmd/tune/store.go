package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/internal/kernel/variant"
	"github.com/gpusort/gpusort/tools/internal/build"
)

// entry is one variant in variants.json.
type entry struct {
	variant.Info
	Algorithm  string        `json:"algorithm"`  // of the catalogue, which is verified and measured
	Experiment string        `json:"experiment"` // the .toml beside variants.json that measures it
	Committed  bool          `json:"committed"`  // its values are those of policies.json
	Base       []uint32      `json:"base"`       // those of policies.json
	Kernels    []build.Usage `json:"kernels,omitempty"`
	// Reason says why the variant has no folder: it does not compile, or spills.
	Reason  string `json:"reason,omitempty"`
	Command string `json:"command"`
}

// store is the folder DIR: variants.json, runs.txt and the experiments beside the
// variants' folders.
type store struct {
	dir     string
	Entries []entry `json:"variants"`
}

// openStore reads a folder; one that is not there, or has no variants.json, is empty.
func openStore(dir string) (*store, error) {
	s := &store{dir: dir}
	text, err := os.ReadFile(filepath.Join(dir, "variants.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "variants.json"), err)
	}
	return s, nil
}

// add writes the variant's folder, unless there is a reason against it, and puts
// its entry in the place of one of the same name.
func (s *store) add(e entry, table, code []byte) error {
	dir := filepath.Join(s.dir, e.Name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if e.Reason == "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		info, err := json.MarshalIndent(e.Info, "", " ")
		if err != nil {
			return err
		}
		for file, text := range map[string][]byte{variant.InfoFile: append(info, '\n'), variant.TableFile: table, e.CodeFile(): code} {
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
				return err
			}
		}
	}
	if i := slices.IndexFunc(s.Entries, func(x entry) bool { return x.Name == e.Name }); i >= 0 {
		s.Entries[i] = e
	} else {
		s.Entries = append(s.Entries, e)
	}
	return nil
}

// write stores variants.json and, for run.sh, runs.txt: a line for each variant
// that has a folder, with its experiment and algorithm.
func (s *store) write() error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	var runs strings.Builder
	for _, e := range s.Entries {
		if e.Reason == "" {
			fmt.Fprintln(&runs, e.Name, e.Experiment, e.Algorithm)
		}
	}
	if err := os.WriteFile(filepath.Join(s.dir, "runs.txt"), []byte(runs.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, "variants.json"), append(text, '\n'), 0o644)
}
