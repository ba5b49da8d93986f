// Package varianttest writes folders of variants for tests, without a compiler.
package varianttest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/kernel/variant"
)

// Code stands for machine code.
const Code = "no machine code"

type table struct {
	Algorithms []algorithm `json:"algorithms"`
}

type algorithm struct {
	Name    string        `json:"name"`
	Backend string        `json:"backend"`
	Params  []param       `json:"params"`
	Rows    []variant.Row `json:"rows"`
}

type param struct {
	Name string `json:"name"`
}

// Write makes dir a variant of a module: the table of the file policies with
// change applied to the values of one row, and Code. The sources are said to have
// sourceHash.
func Write(dir, policies, module string, keyBits, valueBytes int, sourceHash string, change func([]uint32)) (variant.Info, error) {
	var t table
	text, err := os.ReadFile(policies)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return variant.Info{}, err
	}
	sum := sha256.Sum256([]byte(Code))
	v := variant.Variant{Info: variant.Info{Name: module + "-test", Module: module, Target: "sm_90", KeyBits: keyBits, ValueBytes: valueBytes,
		SHA256: hex.EncodeToString(sum[:]), Compiler: "none", SourceHash: sourceHash, Shared: layout.Of(module)}}
	for _, a := range t.Algorithms {
		if a.Name != module || a.Backend != "cuda" {
			continue
		}
		for _, p := range a.Params {
			v.Params = append(v.Params, p.Name)
		}
		for _, r := range a.Rows {
			if r.Target != v.Target {
				continue
			}
			if r.KeyBits == keyBits && r.ValueBytes == valueBytes {
				change(r.Values) // in the table, too
				v.Values = r.Values
			}
			v.Rows = append(v.Rows, r)
		}
	}
	v.PolicyHash = fmt.Sprintf("%016x", v.Hash())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return v.Info, err
	}
	for name, content := range map[string]any{variant.InfoFile: v.Info, variant.TableFile: t} {
		text, err := json.Marshal(content)
		if err != nil {
			return v.Info, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return v.Info, err
		}
	}
	return v.Info, os.WriteFile(filepath.Join(dir, v.CodeFile()), []byte(Code), 0o644)
}
