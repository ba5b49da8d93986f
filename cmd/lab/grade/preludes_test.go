package grade

import (
	"regexp"
	"slices"
	"testing"
)

// TestPreludes: what a submission may name is the same in CUDA and in OpenCL C, so that no template and no rubric depends
// on a machine with a compiler of either to be found out.
func TestPreludes(t *testing.T) {
	names := func(file string) (found []string) {
		for _, m := range regexp.MustCompile(`(?m)^#define (\w+)|^typedef \w+ (\w+);|^} (\w+);`).FindAllStringSubmatch(embedded("types.h")+embedded(file), -1) {
			found = append(found, m[1]+m[2]+m[3])
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	cuda, opencl := names("prelude.cuh"), names("prelude.cl")
	if !slices.Equal(cuda, opencl) || len(cuda) < 10 {
		t.Errorf("CUDA has %v, OpenCL C %v", cuda, opencl)
	}
	for template, prelude := range map[string][]string{"bitonic.cu": cuda, "bitonic.cl": opencl} {
		for _, name := range regexp.MustCompile(`\b(GPUSORT_[A-Z_]+|gpusort_[a-z]+)\b`).FindAllString(embedded(template), -1) {
			if !slices.Contains(prelude, name) && name != "gpusort_plan" {
				t.Errorf("%s names %s, which its prelude does not define", template, name)
			}
		}
	}
}
