// Package policy reads internal/tune/policies.json, the table of kernel
// geometry, and generates from it the kernels' policy headers and the Go
// table, so that neither side can hold a number that the other lacks.
package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Table is the whole file.
type Table struct {
	Algorithms []Algorithm `json:"algorithms"`
}

// Algorithm is one algorithm on one backend: the parameters that its kernels
// take, in the order of every row's Values.
type Algorithm struct {
	Name    string  `json:"name"`
	Backend string  `json:"backend"` // "cuda", "opencl"
	Doc     string  `json:"doc"`
	Params  []Param `json:"params"`
	Rows    []Row   `json:"rows"`
}

// Param is one number of a policy.
type Param struct {
	Name string `json:"name"` // lower_case
	Doc  string `json:"doc"`
}

// Row is the geometry of one kernel instance.
type Row struct {
	// Target is the image that holds the instance: "sm_90", "ptx" (all other
	// CUDA devices) or, for OpenCL, a class of device such as "opencl-gpu".
	Target     string   `json:"target"`
	KeyBits    int      `json:"key_bits"`
	ValueBytes int      `json:"value_bytes"`
	Values     []uint32 `json:"values"`
	// Source says where the numbers come from: device, date and samples of the
	// measurement, or the reasoning.
	Source string `json:"source"`
}

// Load reads and checks the table.
func Load(path string) (Table, error) {
	var t Table
	b, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	for _, a := range t.Algorithms {
		seen := map[string]bool{}
		for _, r := range a.Rows {
			id := fmt.Sprintf("%s/%s/%s key %d value %d", a.Backend, a.Name, r.Target, r.KeyBits, r.ValueBytes)
			if len(r.Values) != len(a.Params) {
				return t, fmt.Errorf("%s: %s has %d values for %d params", path, id, len(r.Values), len(a.Params))
			}
			if r.Source == "" {
				return t, fmt.Errorf("%s: %s lacks its source", path, id)
			}
			if seen[id] {
				return t, fmt.Errorf("%s: %s appears twice", path, id)
			}
			seen[id] = true
		}
	}
	return t, nil
}

// Targets lists an algorithm's targets in order of first appearance.
func (a Algorithm) Targets() []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range a.Rows {
		if !seen[r.Target] {
			seen[r.Target] = true
			out = append(out, r.Target)
		}
	}
	return out
}

// Hash identifies the geometry of one target: the first 8 bytes of the SHA-256
// of its parameter names and rows, without docs and sources.
func (a Algorithm) Hash(target string) uint64 {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s", a.Backend, a.Name, target)
	for _, p := range a.Params {
		fmt.Fprintf(h, " %s", p.Name)
	}
	for _, r := range a.Rows {
		if r.Target == target {
			fmt.Fprintf(h, "\n%d %d %v", r.KeyBits, r.ValueBytes, r.Values)
		}
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// Suffix is the end of the entry points' names for values of the given width.
func Suffix(valueBytes int) string {
	if valueBytes == 0 {
		return "keys"
	}
	return fmt.Sprintf("pairs%d", 8*valueBytes)
}

// Macro turns a name into a macro's: "opencl-gpu" gives "OPENCL_GPU".
func Macro(s string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(s))
}

// camel turns "hist_threads" into "HistThreads".
func camel(s string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == '_' || r == '-' }) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}
