package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Variants compiles one CUDA module with other policies than the committed ones.
type Variants struct {
	// NVCC is the compiler's command and its first arguments.
	NVCC []string
	Repo string
	// SourceHash is that of the module's sources, Flags are those of its image.
	SourceHash string
	Flags      []string

	file string
}

// NewVariants checks that the module's sources are those that its embedded code
// was made from.
func NewVariants(repo, module string) (*Variants, error) {
	repo, err := filepath.Abs(repo)
	if err != nil {
		return nil, err
	}
	v := &Variants{Repo: repo, file: filepath.Join(repo, "kernels/cuda/stage", module+".cu"), Flags: flags90}
	images, err := cudaImages(repo, v.file)
	if err != nil {
		return nil, err
	}
	v.SourceHash = images[0].SourceHash
	if !slices.ContainsFunc(stored(repo).Images, func(im Image) bool { return im.File == images[0].File && im.SourceHash == v.SourceHash }) {
		return nil, fmt.Errorf("the sources of %s have changed since it was built: run `make kernels` first, so that a program can run its variants", module)
	}
	return v, nil
}

// Embedded is the SHA-256 of the module's embedded machine code.
func (v *Variants) Embedded() string {
	for _, im := range stored(v.Repo).Images {
		if im.Backend == "cuda" && im.Module == stem(v.file) && im.Target == "sm_90" {
			return im.SHA256
		}
	}
	return ""
}

// Compile makes the module's sm_90 machine code with the policy header in place
// of the committed one; name is its path below kernels/.
// shared is the dynamic shared memory of its kernels.
func (v *Variants) Compile(name string, header []byte) (code []byte, usage []Usage, shared map[string]uint32, err error) {
	tmp, err := os.MkdirTemp("", "gpusort-variant-")
	if err != nil {
		return nil, nil, nil, err
	}
	defer os.RemoveAll(tmp)
	path := filepath.Join(tmp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, nil, nil, err
	}
	if err := os.WriteFile(path, header, 0o644); err != nil {
		return nil, nil, nil, err
	}
	include := []string{filepath.Join(tmp, "cuda"), filepath.Join(v.Repo, "kernels/cuda")}
	w, err := words90(v.NVCC, include, v.file, v.Flags, tmp)
	if err != nil {
		return nil, nil, nil, err
	}
	code, report, err := cubin(v.NVCC, include, v.file, v.Flags, tmp)
	return code, usages(report), w.shared, err
}

// Sum is the SHA-256 of code as manifests have it.
func Sum(code []byte) string { return sum(code) }
