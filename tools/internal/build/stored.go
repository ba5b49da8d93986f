package build

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// stored is the manifest in the repository, with its images; it is empty if
// anything of it cannot be read.
func stored(repo string) (m Manifest) {
	text, err := os.ReadFile(filepath.Join(repo, "internal/kernel/manifest.json"))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return Manifest{}
	}
	for i := range m.Images {
		im := &m.Images[i]
		// A file that is missing or altered leaves no data, and is built again.
		if data, err := readImage(filepath.Join(repo, im.path())); err == nil && sum(data) == im.SHA256 {
			im.data = data
		}
	}
	return m
}

// holds reports whether m has every one of images, made from the same sources
// by the same compiler with the same flags, and copies their code if so.
func (m Manifest) holds(images []Image) bool {
	for i := range images {
		im := &images[i]
		at := slices.IndexFunc(m.Images, func(x Image) bool {
			return x.File == im.File && x.SourceHash == im.SourceHash && x.Compiler == im.Compiler && slices.Equal(x.Flags, im.Flags) && x.data != nil
		})
		if at < 0 {
			return false
		}
		im.data = m.Images[at].data
	}
	return true
}
