package kernel

import (
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/kernel/variant"
)

// embedded are the images with the variant of the environment in place of the
// image that it is of.
type embedded struct {
	images []Image
	err    error // why the variant cannot be used
}

// override replaces the image that v is a variant of. Its SourceHash becomes one
// of its own, so that Hash is not that of any verified code.
func override(images []Image, v *variant.Variant) ([]Image, error) {
	at := slices.IndexFunc(images, func(im Image) bool {
		return im.Backend == "cuda" && im.Module == v.Module && im.Target == v.Target
	})
	if at < 0 {
		return images, fmt.Errorf("variant %s: this build has no code of %s for %s", v.Name, v.Module, v.Target)
	}
	im := images[at]
	if im.SourceHash != v.SourceHash {
		return images, fmt.Errorf("variant %s was built from other sources of %s (%.12s) than this program (%.12s): build both from one commit",
			v.Name, v.Module, v.SourceHash, im.SourceHash)
	}
	for name := range layout.Of(v.Module) {
		if v.Shared[name] == 0 {
			return images, fmt.Errorf("variant %s does not say how much shared memory %s takes: build it again", v.Name, name)
		}
	}
	im.SHA256, im.Bytes, im.Compiler, im.Flags, im.PolicyHash = v.SHA256, len(v.Code), v.Compiler, v.Flags, v.PolicyHash
	im.File, im.SourceHash, im.code = v.CodeFile(), "variant "+v.SHA256, v.Code
	images = slices.Clone(images)
	images[at] = im
	return images, nil
}

// Variant returns the variant that runs in place of embedded code, nil if there
// is none, and the error because of which no CUDA image has data.
func Variant() (*variant.Variant, error) {
	if err := all().err; err != nil {
		return nil, err
	}
	return variant.Active()
}
