// Package grade grades sorts that others wrote, by a rubric.
//
// A submission is OpenCL C (.cl), CUDA C++ (.cu, of which only the device code
// is used) or a shared library (.so) with the interface of
// include/gpusort_peer.h. It runs in a confined process that package child
// serves; the grader itself owns inputs, buffers and clock, and believes the
// bytes of the result. docs/grading-threats.md says from whom it believes what,
// docs/grading.md how to grade.
package grade

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"
)

// Kind is a kind of submission, named as its file ends.
type Kind string

// The kinds.
const (
	CL Kind = "cl" // OpenCL C
	CU Kind = "cu" // CUDA C++, device code only
	SO Kind = "so" // shared library with the interface of include/gpusort_peer.h
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{CL, CU, SO} }

// KindOf tells the kind of a file by its name.
func KindOf(path string) (Kind, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".cl":
		return CL, nil
	case ".cu":
		return CU, nil
	case ".so":
		return SO, nil
	}
	return "", fmt.Errorf("%s: a submission's name ends in .cl, .cu or .so", path)
}

//go:embed templates
var files embed.FS

// Template returns the source of a submission that sorts right, to start from:
// OpenCL C, CUDA C++, or the C of a shared library.
func Template(k Kind) (string, error) {
	name := map[Kind]string{CL: "bitonic.cl", CU: "bitonic.cu", SO: "heapsort.c"}[k]
	if name == "" {
		return "", fmt.Errorf("no template for %q: known are cl, cu, so", k)
	}
	return embedded(name), nil
}

// RubricTemplate returns a small rubric to start from, for PoCL.
func RubricTemplate() string { return embedded("rubric.toml") }

func embedded(name string) string {
	b, err := files.ReadFile("templates/" + name)
	if err != nil {
		panic("grade: " + err.Error()) // the build embeds it
	}
	return string(b)
}
