package kernel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

const repo = "../.."

// The code that package study embeds and links.
var studies = os.DirFS("study")

func init() { Link(studies) }

// sourceHash is tools/internal/build.hashFiles.
func sourceHash(t *testing.T, sources []string) string {
	h := sha256.New()
	for _, s := range sources {
		text, err := os.ReadFile(filepath.Join(repo, filepath.FromSlash(s)))
		if err != nil {
			t.Fatalf("%v; run `make kernels`", err)
		}
		fmt.Fprintf(h, "%s %d\n", s, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// needEmbedded skips what reads device code in a build without it.
func needEmbedded(t *testing.T) {
	if !embedsCode {
		absent.Skip(t, "device code", "this build has the tag nogpu")
	}
}

// TestImagesMatchSources fails when a device source was changed and the
// embedded code was not rebuilt, or when an image is not what the manifest says.
func TestImagesMatchSources(t *testing.T) {
	needEmbedded(t)
	named := map[string]bool{}
	for _, im := range All() {
		named[im.File] = true
		if got := sourceHash(t, im.Sources); got != im.SourceHash {
			t.Errorf("%s: its sources have changed since it was built; run `make kernels`", im.File)
		}
		data, err := im.Data()
		if err != nil {
			t.Error(err)
			continue
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != im.SHA256 || len(data) != im.Bytes {
			t.Errorf("%s is not the image that manifest.json describes; run `make kernels`", im.File)
		}
	}
	embedded, _ := fs.Glob(files, "embed/*")
	study, _ := fs.Glob(studies, "*.zst")
	for _, file := range append(embedded, study...) {
		if !named[path.Base(file)] {
			t.Errorf("%s is in no manifest entry; run `make kernels`", file)
		}
	}
	if len(embedded)+len(study) != len(named) {
		t.Errorf("%d files embedded and %d of studies for %d images", len(embedded), len(study), len(named))
	}
}

// TestEveryModuleEmbedded fails when a stage or program has no image.
func TestEveryModuleEmbedded(t *testing.T) {
	for _, m := range []struct{ backend, pattern string }{{"cuda", "kernels/cuda/stage/*.cu"}, {"opencl", "kernels/opencl/*.cl"}} {
		files, err := filepath.Glob(filepath.Join(repo, m.pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			module := strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))
			if len(Images(m.backend, module)) == 0 {
				t.Errorf("%s is not embedded; run `make kernels`", f)
			}
		}
	}
}

func TestImagesOrder(t *testing.T) {
	needEmbedded(t)
	ims := Images("cuda", "onesweep")
	if len(ims) != 2 || ims[0].Target != "sm_90" || !ims[1].PTX() {
		t.Fatalf("images of onesweep: %d, want machine code before PTX", len(ims))
	}
	ptx, err := ims[1].Data()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".target sm_61", ".version 6.4", ".visible .entry " + Entry("onesweep", "pass", 64, 8).Symbol, PolicyEntry("onesweep").Symbol} {
		if !strings.Contains(string(ptx), want) {
			t.Errorf("the PTX lacks %q", want)
		}
	}
	if Images("opencl", "onesweep") != nil {
		t.Error("onesweep has OpenCL images")
	}
}

// TestVerifiedOnHardware fails when the device code differs from what the
// recorded GPU run was about, or a case of it failed: no kernel lands that never
// ran. Whether that run came to its end is TestVerifiedWhole's question.
func TestVerifiedOnHardware(t *testing.T) {
	v, err := LastVerified()
	if err != nil {
		t.Fatal(err)
	}
	if v.Hash != Hash() {
		t.Errorf("verified.json is for device code %.16q, the embedded code is %.16q: run the GPU suite on hardware and record it", v.Hash, Hash())
	}
	if v.Cases.Failed != 0 || v.Cases.Run == 0 {
		t.Errorf("verified.json records %d cases run, %d failed", v.Cases.Run, v.Cases.Failed)
	}
}

// TestVerifiedWhole: the recorded run came to its end.
func TestVerifiedWhole(t *testing.T) {
	v, err := LastVerified()
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Incomplete) == 0 {
		return
	}
	absent.Skip(t, "cuda", "the last run of the GPU suite was ended by a time limit; not run to the end: %s", strings.Join(v.Incomplete, "; "))
}
