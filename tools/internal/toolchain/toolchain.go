// Package toolchain fetches the pinned CUDA compilers from the Python package
// index into a folder outside version control and unpacks them.
package toolchain

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The pins. CUDA 13.0 makes the sm_90 machine code; it stops at sm_75, so the
// PTX for everything else and the check of it by assembling come from 12.9,
// the last release that knows sm_61 and sm_70. There is no nvcc wheel for 12.x
// (only ptxas), hence NVRTC.
var pins = []pin{
	{"cu13", "nvidia-cuda-nvcc", "13.0.88"},
	{"cu13", "nvidia-nvvm", "13.0.88"},
	{"cu13", "nvidia-cuda-crt", "13.0.88"},
	{"cu13", "nvidia-cuda-runtime", "13.0.96"},
	{"cu13", "nvidia-cuda-cccl", "13.0.85"},
	{"cu12", "nvidia-cuda-nvrtc-cu12", "12.9.86"},
	{"cu12", "nvidia-cuda-nvcc-cu12", "12.9.86"},
}

// pin is one wheel and the folder that it is unpacked into.
type pin struct{ folder, name, version string }

// newestCCCL are the newest headers by package name, which peers are built from
// beside the toolkit's.
const newestCCCL = "13.3.5.0.6"

// NewestCCCL fetches those headers into dir and returns their folder.
func NewestCCCL(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := fetch(dir, pin{"cccl", "nvidia-cuda-cccl", newestCCCL}); err != nil {
		return "", err
	}
	return filepath.Join(dir, "cccl/nvidia/cu13/include/cccl"), nil
}

// Tools are the paths of the unpacked compilers.
type Tools struct {
	NVCC        string // CUDA 13.0
	Include13   string // CUDA runtime headers
	CCCL        string // CUB, Thrust and libcu++ headers
	Lib13       string // libcudart_static.a
	NVRTC       string // libnvrtc.so.12
	NVRTCHelper string // libnvrtc-builtins, which NVRTC opens by name
	PTXAS12     string
}

// Versions of the compilers, as the manifest names them.
const (
	NVCCVersion  = "nvcc 13.0.88"
	NVRTCVersion = "nvrtc 12.9.86"
)

// Fetch downloads and unpacks whatever dir lacks and returns the paths.
func Fetch(dir string) (Tools, error) {
	var t Tools
	dir, err := filepath.Abs(dir)
	if err != nil {
		return t, err
	}
	for _, p := range pins {
		if err := fetch(dir, p); err != nil {
			return t, err
		}
	}
	c13, c12 := filepath.Join(dir, "cu13/nvidia/cu13"), filepath.Join(dir, "cu12/nvidia")
	t = Tools{
		NVCC: c13 + "/bin/nvcc", Include13: c13 + "/include", CCCL: c13 + "/include/cccl", Lib13: c13 + "/lib",
		NVRTC:       c12 + "/cuda_nvrtc/lib/libnvrtc.so.12",
		NVRTCHelper: c12 + "/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9",
		PTXAS12:     c12 + "/cuda_nvcc/bin/ptxas",
	}
	return t, nil
}

// fetch downloads and unpacks one wheel, unless it is there.
func fetch(dir string, p pin) error {
	stamp := filepath.Join(dir, p.folder, "."+p.name+"-"+p.version)
	if _, err := os.Stat(stamp); err == nil {
		return nil
	}
	wheel, err := download(filepath.Join(dir, "wheels"), p.name, p.version)
	if err != nil {
		return err
	}
	if err := unpack(wheel, filepath.Join(dir, p.folder)); err != nil {
		return fmt.Errorf("unpack %s: %w", wheel, err)
	}
	return os.WriteFile(stamp, nil, 0o644)
}

// download asks pip for one wheel, unless it is there.
func download(dir, name, version string) (string, error) {
	pattern := filepath.Join(dir, strings.ReplaceAll(name, "-", "_")+"-"+version+"-*.whl")
	if m, _ := filepath.Glob(pattern); len(m) == 1 {
		return m[0], nil
	}
	fmt.Fprintf(os.Stderr, "fetching %s %s\n", name, version)
	cmd := exec.Command("python3", "-m", "pip", "download", "-q", "--no-deps", "-d", dir, name+"=="+version)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("pip download %s==%s (needs python3 with pip and a package index): %w", name, version, err)
	}
	m, _ := filepath.Glob(pattern)
	if len(m) != 1 {
		return "", fmt.Errorf("pip download %s==%s left no wheel in %s", name, version, dir)
	}
	return m[0], nil
}

// unpack extracts a wheel. Files in bin folders become executable, because
// wheels do not always say so.
func unpack(wheel, dir string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if !strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return fmt.Errorf("entry %q leaves the folder", f.Name)
		}
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.Contains(f.Name, "/bin/") {
			mode = 0o755
		}
		if err := extract(f, path, mode); err != nil {
			return err
		}
	}
	return nil
}

func extract(f *zip.File, path string, mode os.FileMode) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
