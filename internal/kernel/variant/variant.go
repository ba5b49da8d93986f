// Package variant reads a kernel variant: one CUDA module compiled with another
// row of internal/tune/policies.json, as tools/cmd/tune writes it. A process whose
// environment names one (Env) runs it in place of the embedded code, so that
// geometries are verified and measured before one is committed. It is for
// development alone.
package variant

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The files of a variant's folder; the third is the code, <module>.sm_90.cubin.
const (
	InfoFile  = "variant.json"
	TableFile = "policies.json"
)

// Info is variant.json: what was compiled, and from what.
type Info struct {
	Name   string `json:"name"`   // of the folder: "onesweep-32-keys-threads384"
	Module string `json:"module"` // "onesweep"
	Target string `json:"target"` // "sm_90"
	// The row that differs from the committed table, values in the table's order.
	KeyBits    int      `json:"key_bits"`
	ValueBytes int      `json:"value_bytes"`
	Params     []string `json:"params"`
	Values     []uint32 `json:"values"`

	PolicyHash string   `json:"policy_hash"` // hexadecimal, as the code's policy entry point writes it
	SHA256     string   `json:"sha256"`      // of the code, hexadecimal
	Compiler   string   `json:"compiler"`
	Flags      []string `json:"flags"`
	// SourceHash is that of the module's sources as committed: a program only
	// runs a variant of the sources that it was itself built from, since its
	// planner knows their arguments and shared memory.
	SourceHash string `json:"source_hash"`
	// Shared is the dynamic shared memory of the module's kernels, by name.
	Shared map[string]uint32 `json:"shared"`
	Commit string            `json:"commit"`
	Date   string            `json:"date"` // of the build, RFC 3339
}

// CodeFile is the name of the machine code's file.
func (i Info) CodeFile() string { return i.Module + "." + i.Target + ".cubin" }

// Row is one row of a policy table.
type Row struct {
	Target     string   `json:"target"`
	KeyBits    int      `json:"key_bits"`
	ValueBytes int      `json:"value_bytes"`
	Values     []uint32 `json:"values"`
}

// Variant is a folder, read and checked.
type Variant struct {
	Info
	Rows []Row  // all of the module's table for the target
	Code []byte // machine code
}

// Load reads the folder. Whatever is missing, altered or does not belong
// together is an error that names the file.
func Load(dir string) (*Variant, error) {
	v := &Variant{}
	if err := readJSON(filepath.Join(dir, InfoFile), &v.Info); err != nil {
		return nil, err
	}
	if v.Module == "" || v.Module != filepath.Base(v.Module) || v.Target != "sm_90" || len(v.Params) == 0 || len(v.Params) != len(v.Values) {
		return nil, fmt.Errorf("%s describes no variant of a CUDA module for sm_90", filepath.Join(dir, InfoFile))
	}
	if err := v.readRows(filepath.Join(dir, TableFile)); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, v.CodeFile())
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(code); hex.EncodeToString(sum[:]) != v.SHA256 {
		return nil, fmt.Errorf("%s is not the code that %s describes: build the variant again", file, InfoFile)
	}
	v.Code = code
	return v, nil
}

// readRows fills Rows, and compares them with the row and the hash of Info.
func (v *Variant) readRows(path string) error {
	var t struct {
		Algorithms []struct {
			Name, Backend string
			Params        []struct{ Name string }
			Rows          []Row
		}
	}
	if err := readJSON(path, &t); err != nil {
		return err
	}
	found := false
	for _, a := range t.Algorithms {
		if a.Name != v.Module || a.Backend != "cuda" {
			continue
		}
		if !slices.EqualFunc(a.Params, v.Params, func(p struct{ Name string }, name string) bool { return p.Name == name }) {
			return fmt.Errorf("%s: %s has other parameters than %s says", path, v.Module, InfoFile)
		}
		for _, r := range a.Rows {
			if r.Target != v.Target {
				continue
			}
			if len(r.Values) != len(v.Params) {
				return fmt.Errorf("%s: %s key %d value %d has %d values for %d parameters", path, v.Module, r.KeyBits, r.ValueBytes, len(r.Values), len(v.Params))
			}
			found = found || r.KeyBits == v.KeyBits && r.ValueBytes == v.ValueBytes && slices.Equal(r.Values, v.Values)
			v.Rows = append(v.Rows, r)
		}
	}
	if hash := fmt.Sprintf("%016x", v.Hash()); !found || hash != v.PolicyHash {
		return fmt.Errorf("%s is not the table that %s was built with (policy %s, not %s): build it again", path, v.Name, hash, v.PolicyHash)
	}
	return nil
}

// Hash is the policy hash of Rows: the same as that of tools/internal/policy,
// which the code was compiled with.
func (v *Variant) Hash() uint64 {
	h := sha256.New()
	fmt.Fprintf(h, "cuda %s %s", v.Module, v.Target)
	for _, p := range v.Params {
		fmt.Fprintf(h, " %s", p)
	}
	for _, r := range v.Rows {
		fmt.Fprintf(h, "\n%d %d %v", r.KeyBits, r.ValueBytes, r.Values)
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
