package kernel

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/gpusort/gpusort/internal/kernel/variant"
)

//go:embed manifest.json
var manifestJSON []byte

// Image is one embedded build of a module. tools/cmd/kernels writes the
// manifest that holds them.
type Image struct {
	Backend string `json:"backend"` // "cuda", "opencl"
	Module  string `json:"module"`
	// Target says who can run it: "sm_90" is machine code for compute
	// capability 9.0, "ptx" is PTX for 6.1 and newer, "opencl" is source.
	Target     string   `json:"target"`
	File       string   `json:"file"`   // in embed or study, zstd
	SHA256     string   `json:"sha256"` // of the unpacked image, hexadecimal
	Bytes      int      `json:"bytes"`  // unpacked
	Compiler   string   `json:"compiler"`
	Flags      []string `json:"flags"`       // for OpenCL: the build options
	PolicyHash string   `json:"policy_hash"` // hexadecimal; empty if the module has no policy rows
	SourceHash string   `json:"source_hash"` // over names and contents of Sources
	Sources    []string `json:"sources"`     // relative to the repository, sorted

	code []byte // of a variant; nil: File
}

// Arch is the least compute capability, times ten, of a CUDA image: exact for
// machine code, a lower bound for PTX. It is 0 for OpenCL.
func (im Image) Arch() int {
	switch im.Target {
	case "sm_90":
		return 90
	case "ptx":
		return 61
	}
	return 0
}

// PTX reports whether the image is PTX.
func (im Image) PTX() bool { return im.Target == "ptx" }

// Data unpacks the image. It is an error, for every CUDA image, if the
// environment names a variant that cannot be used.
func (im Image) Data() ([]byte, error) {
	if im.Backend == "cuda" {
		if err := all().err; err != nil {
			return nil, fmt.Errorf("kernel: %w", err)
		}
	}
	if im.code != nil {
		return im.code, nil
	}
	if !embedsCode {
		return nil, fmt.Errorf("kernel: image of %s for %s: this build has no device code (build tag nogpu, or Android); build without the tag", im.Module, im.Target)
	}
	z, err := im.packed()
	if err != nil {
		return nil, err
	}
	data, err := Unpack(z)
	if err != nil {
		return nil, fmt.Errorf("kernel: %s: %w", im.File, err)
	}
	return data, nil
}

// Unpack returns the content of an image's file. It keeps nothing of z.
func Unpack(z []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(z, nil)
}

// packed reads the image's file where it is linked into the program.
func (im Image) packed() ([]byte, error) {
	if z, err := files.ReadFile("embed/" + im.File); err == nil {
		return z, nil
	}
	if studied != nil {
		if z, err := fs.ReadFile(studied, im.File); err == nil {
			return z, nil
		}
	}
	return nil, fmt.Errorf("kernel: this program has no device code of %s for %s: that of sorts which are here to be studied "+
		"is part of the gpusort command, and a build with the nogpu tag or for Android has none", im.Module, im.Target)
}

// studied has the device code of sorts that are chosen by name only.
var studied fs.FS

// Link adds the device code of internal/kernel/study to what Data finds. It is for
// that package's init alone.
func Link(code fs.FS) { studied = code }

var all = sync.OnceValue(func() (e embedded) {
	var m struct {
		Images []Image `json:"images"`
	}
	if err := json.Unmarshal(manifestJSON, &m); err != nil {
		panic("kernel: manifest.json: " + err.Error()) // embedded: a broken build
	}
	e.images = m.Images
	v, err := variant.Active()
	if err == nil && v != nil {
		e.images, err = override(e.images, v)
	}
	e.err = err
	return e
})

func manifest() []Image { return all().images }

// All returns every image, in manifest order.
func All() []Image { return append([]Image(nil), manifest()...) }

// Images returns the images of a module for a backend in the order in which a
// device should try them: machine code before PTX. It is empty if the module
// has no code for the backend.
func Images(backend, module string) []Image {
	var first, rest []Image
	for _, im := range manifest() {
		switch {
		case im.Backend != backend || im.Module != module:
		case im.PTX():
			rest = append(rest, im)
		default:
			first = append(first, im)
		}
	}
	return append(first, rest...)
}

// PolicyHash returns the hash of the policy rows that an image was compiled
// with, and whether it has any. internal/tune has the same number for its
// table; the entry point gs_<module>_policy writes it on the device.
func PolicyHash(backend, module, target string) (uint64, bool) {
	for _, im := range manifest() {
		if im.Backend == backend && im.Module == module && im.Target == target && im.PolicyHash != "" {
			h, err := strconv.ParseUint(im.PolicyHash, 16, 64)
			return h, err == nil
		}
	}
	return 0, false
}

// PolicyEntry is the ID of the kernel, of one thread, that writes a module's
// policy hash to the 64-bit word it is given.
func PolicyEntry(module string) ID { return Plain(module, "policy") }

// Hash identifies all device code: it changes whenever a source, a policy
// header, a compiler or a flag does. verified.json records it.
func Hash() string {
	h := sha256.New()
	for _, im := range manifest() {
		fmt.Fprintf(h, "%s %s %s %s %s %q\n", im.Backend, im.Module, im.Target, im.SourceHash, im.Compiler, im.Flags)
	}
	return hex.EncodeToString(h.Sum(nil))
}
