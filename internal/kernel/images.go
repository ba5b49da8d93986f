package kernel

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed embed
var files embed.FS

//go:embed manifest.json
var manifestJSON []byte

// Image is embedded device code.
type Image struct {
	Backend string   `json:"backend"`
	Module  string   `json:"module"`
	Target  string   `json:"target"` // "sm_90", "ptx", "opencl"
	File    string   `json:"file"`   // in embed, gzip
	SHA256  string   `json:"sha256"` // of the unpacked image
	Flags   []string `json:"flags"`  // of the compiler; build options for OpenCL C
	Sources []string `json:"sources"`

	SourceHash string `json:"source_hash"`
	PolicyHash string `json:"policy_hash"` // hexadecimal; empty if the module has none
}

var manifest = sync.OnceValues(func() ([]Image, error) {
	var m struct{ Images []Image }
	err := json.Unmarshal(manifestJSON, &m)
	return m.Images, err
})

// Manifest lists the embedded images.
func Manifest() ([]Image, error) { return manifest() }

// Images returns the images of a module for a backend, machine code before
// PTX. The error lists the backend's modules.
func Images(backend, module string) ([]Image, error) {
	all, err := manifest()
	if err != nil {
		return nil, fmt.Errorf("manifest of the embedded device code: %w", err)
	}
	var found, asm []Image
	var known []string
	for _, i := range all {
		switch {
		case i.Backend != backend:
		case i.Module != module:
			known = append(known, i.Module)
		case i.Target == "ptx":
			asm = append(asm, i)
		default:
			found = append(found, i)
		}
	}
	if found = append(found, asm...); len(found) == 0 {
		return nil, fmt.Errorf("no embedded device code %q for %s: known are %s", module, backend, strings.Join(known, ", "))
	}
	return found, nil
}

// Data unpacks the image.
func (i Image) Data() ([]byte, error) {
	packed, err := files.ReadFile("embed/" + i.File)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("embedded device code %s: %w", i.File, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("embedded device code %s: %w", i.File, err)
	}
	return data, nil
}
