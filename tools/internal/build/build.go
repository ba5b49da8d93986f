package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/tools/internal/policy"
	"github.com/gpusort/gpusort/tools/internal/toolchain"
)

// Image is one entry of internal/kernel/manifest.json.
type Image struct {
	Backend    string   `json:"backend"`
	Module     string   `json:"module"`
	Target     string   `json:"target"` // "sm_90", "ptx", "opencl"
	File       string   `json:"file"`   // in internal/kernel/embed or study, zstd
	SHA256     string   `json:"sha256"` // of the unpacked image
	Bytes      int      `json:"bytes"`
	Compiler   string   `json:"compiler"`
	Flags      []string `json:"flags"`
	PolicyHash string   `json:"policy_hash,omitempty"` // hexadecimal, as the module's policy entry point writes it
	SourceHash string   `json:"source_hash"`           // over names and contents of Sources
	Sources    []string `json:"sources"`

	data []byte
}

// Manifest is the file. It is written without spaces, since every program that imports
// the library holds it.
type Manifest struct {
	Images []Image `json:"images"`

	layout Layout // a file of its own: no program reads it when it runs
}

// The compiler flags, without include paths. Every stage compiles with the
// macro of its target, which selects its policies.
var (
	flags90     = []string{"-std=c++17", "-O3", "-arch=sm_90", "-DGS_TARGET_SM_90"}
	flagsPTX    = []string{"--std=c++17", "--gpu-architecture=compute_61", "-DGS_TARGET_PTX"}
	flagsOpenCL = []string{"-cl-std=CL1.2"}
)

// All builds every module: kernels/cuda/stage/*.cu and kernels/opencl/*.cl,
// each file one module of its name. Reports go to w. Unless fresh, a CUDA module
// whose sources, compilers and flags are those of the manifest is not compiled
// again.
func All(repo, toolsDir string, fresh bool, w io.Writer) (Manifest, error) {
	var m Manifest
	repo, err := filepath.Abs(repo)
	if err != nil {
		return m, err
	}
	table, err := policy.Load(filepath.Join(repo, "internal/tune/policies.json"))
	if err != nil {
		return m, err
	}
	tmp, err := os.MkdirTemp("", "gpusort-kernels-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(tmp)

	var last Manifest
	if !fresh {
		last = stored(repo)
	}
	stages, _ := filepath.Glob(filepath.Join(repo, "kernels/cuda/stage/*.cu"))
	if len(stages) > 0 {
		t, err := toolchain.Fetch(toolsDir)
		if err != nil {
			return m, err
		}
		modules := make([][]Image, len(stages))
		if err := eachStage(stages, w, func(i int, file string, w io.Writer) error {
			images, err := cudaImages(repo, file)
			if err != nil {
				return err
			}
			modules[i] = images
			if last.holds(images) {
				return nil
			}
			return compile(t, repo, file, tmp, images, w)
		}); err != nil {
			return m, err
		}
		m.Images = slices.Concat(modules...)
	}
	programs, _ := filepath.Glob(filepath.Join(repo, "kernels/opencl/*.cl"))
	for _, file := range programs {
		im, err := openclModule(repo, file)
		if err != nil {
			return m, err
		}
		m.Images = append(m.Images, im)
	}
	for i := range m.Images {
		im := &m.Images[i]
		im.SHA256, im.Bytes = sum(im.data), len(im.data)
		for _, a := range table.Algorithms {
			// OpenCL source holds the rows of all targets; macros choose when it is
			// built, so that it has no one hash.
			if a.Name == im.Module && a.Backend == im.Backend && slices.Contains(a.Targets(), im.Target) {
				im.PolicyHash = fmt.Sprintf("%016x", a.Hash(im.Target))
			}
		}
	}
	var known Layout
	if !fresh {
		known = storedLayout(repo)
	}
	if m.layout, err = layoutOf(toolsDir, repo, stages, tmp, known); err != nil {
		return m, err
	}
	sort.Slice(m.Images, func(i, j int) bool { return m.Images[i].File < m.Images[j].File })
	return m, nil
}

// eachStage calls f for every stage, as many at once as there are processors, and writes
// what each reports to w, one stage after the other.
func eachStage(stages []string, w io.Writer, f func(i int, file string, w io.Writer) error) error {
	reports, errs := make([]bytes.Buffer, len(stages)), make([]error, len(stages))
	var wg sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, file := range stages {
		wg.Go(func() {
			room <- struct{}{}
			errs[i] = f(i, file, &reports[i])
			<-room
		})
	}
	wg.Wait()
	for i := range reports {
		if _, err := reports[i].WriteTo(w); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// cudaImages are the images of a module, not yet compiled.
func cudaImages(repo, file string) ([]Image, error) {
	files, err := closure(filepath.Join(repo, "kernels/cuda"), file)
	if err != nil {
		return nil, err
	}
	hash, names, err := hashFiles(repo, files)
	if err != nil {
		return nil, err
	}
	name := stem(file)
	base := Image{Backend: "cuda", Module: name, SourceHash: hash, Sources: names}
	bin, asm := base, base
	bin.Target, bin.File, bin.Compiler, bin.Flags = "sm_90", name+".sm_90.cubin.zst", toolchain.NVCCVersion, flags90
	asm.Target, asm.File, asm.Compiler, asm.Flags = "ptx", name+".ptx.zst", toolchain.NVRTCVersion, append(flagsPTX[:len(flagsPTX):len(flagsPTX)], "ptx-isa="+ptxVersion)
	return []Image{bin, asm}, nil
}

// compile fills in the code of what cudaImages returned.
func compile(t toolchain.Tools, repo, file, tmp string, images []Image, w io.Writer) error {
	root, name := filepath.Join(repo, "kernels/cuda"), stem(file)
	code, report, err := cubin([]string{t.NVCC}, []string{root}, file, flags90, tmp)
	if err != nil {
		return err
	}
	local := print(w, name+" sm_90", report)
	text, reports, err := ptx(t, root, file, flagsPTX, tmp)
	if err != nil {
		return err
	}
	for _, arch := range checked {
		local += print(w, name+" ptx for "+arch, reports[arch])
	}
	if local > 0 {
		fmt.Fprintf(w, "%s: %d kernel builds use local memory\n", name, local)
	}
	images[0].data, images[1].data = code, text
	return nil
}

func openclModule(repo, file string) (Image, error) {
	root := filepath.Join(repo, "kernels/opencl")
	files, err := closure(root, file)
	if err != nil {
		return Image{}, err
	}
	hash, names, err := hashFiles(repo, files)
	if err != nil {
		return Image{}, err
	}
	text, err := flatten(root, file)
	if err != nil {
		return Image{}, err
	}
	name := stem(file)
	return Image{Backend: "opencl", Module: name, Target: "opencl", File: name + ".cl.zst", Compiler: "none", Flags: flagsOpenCL, SourceHash: hash, Sources: names, data: text}, nil
}

// The folders of images. What the library may launch is in linked; importers of the
// library go without what is in studied.
const (
	linked  = "internal/kernel/embed"
	studied = "internal/kernel/study"
)

// studies are the modules of sorts that are never chosen unless they are named.
var studies = []string{"bitonic", "counting", "hostscatter", "radix4", "scan"}

// path is the image's file, relative to the repository.
func (im Image) path() string {
	if slices.Contains(studies, im.Module) {
		return studied + "/" + im.File
	}
	return linked + "/" + im.File
}

// Write stores images and manifest, and removes what no image names.
func (m Manifest) Write(repo string) error {
	for _, dir := range []string{linked, studied} {
		old, err := filepath.Glob(filepath.Join(repo, dir, "*.zst"))
		if err != nil {
			return err
		}
		for _, f := range old {
			if err := os.Remove(f); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Join(repo, dir), 0o755); err != nil {
			return err
		}
	}
	// One encoder, for the same bytes on every machine. A window that holds a whole image
	// finds what the kernels of a module have in common.
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(16<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer z.Close()
	for _, im := range m.Images {
		if err := os.WriteFile(filepath.Join(repo, im.path()), z.EncodeAll(im.data, nil), 0o644); err != nil {
			return err
		}
	}
	if err := m.layout.write(repo); err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(repo, "internal/kernel/manifest.json"), append(text, '\n'), 0o644)
}

// Compare reports every difference between m and what the repository holds.
// Images are compared unpacked, so that another compressor is no difference.
func (m Manifest) Compare(repo string) error {
	want, err := json.Marshal(m)
	if err != nil {
		return err
	}
	have, err := os.ReadFile(filepath.Join(repo, "internal/kernel/manifest.json"))
	if err != nil {
		return err
	}
	errs := []error{m.layout.compare(repo)}
	if !bytes.Equal(append(want, '\n'), have) {
		errs = append(errs, errors.New("internal/kernel/manifest.json differs from a fresh build"))
	}
	for _, im := range m.Images {
		data, err := readImage(filepath.Join(repo, im.path()))
		if err == nil && sum(data) != im.SHA256 {
			err = fmt.Errorf("%s differs from a fresh build", im.path())
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func readImage(path string) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return kernel.Unpack(packed)
}
