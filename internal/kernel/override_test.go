package kernel

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/variant"
	"github.com/gpusort/gpusort/internal/kernel/variant/varianttest"
)

// onesweep is a variant of this build's sources.
func onesweep(t *testing.T) *variant.Variant {
	t.Helper()
	dir := t.TempDir()
	source := Images("cuda", "onesweep")[0].SourceHash
	if _, err := varianttest.Write(dir, filepath.Join(repo, "internal/tune/policies.json"), "onesweep", 32, 0, source, func(v []uint32) { v[1]++ }); err != nil {
		t.Fatal(err)
	}
	v, err := variant.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOverride(t *testing.T) {
	needEmbedded(t)
	v := onesweep(t)
	before := All()
	images, err := override(All(), v)
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for i, im := range images {
		if im.Module != "onesweep" || im.Target != "sm_90" {
			if im.SHA256 != before[i].SHA256 || im.SourceHash != before[i].SourceHash {
				t.Errorf("%s was changed", im.File)
			}
			continue
		}
		changed++
		data, err := im.Data()
		if err != nil || string(data) != varianttest.Code || im.SHA256 != v.SHA256 || im.Bytes != len(data) || im.PolicyHash != v.PolicyHash || im.Arch() != 90 {
			t.Errorf("%+v, data %q, %v", im, data, err)
		}
		if im.SourceHash == before[i].SourceHash {
			t.Error("the device code keeps its hash, so that its record of verification would hold for the variant")
		}
	}
	if changed != 1 {
		t.Errorf("%d images changed, want 1", changed)
	}
	if !slices.EqualFunc(before, All(), func(x, y Image) bool { return x.SHA256 == y.SHA256 }) {
		t.Error("the embedded images themselves were changed")
	}
}

func TestOverrideRefuses(t *testing.T) {
	other := onesweep(t)
	other.SourceHash = strings.Repeat("0", 64)
	if _, err := override(All(), other); err == nil || !strings.Contains(err.Error(), "other sources") {
		t.Errorf("a variant of other sources: %v", err)
	}
	silent := onesweep(t)
	delete(silent.Shared, "gs_onesweep_pass_32_keys")
	if _, err := override(All(), silent); err == nil || !strings.Contains(err.Error(), "shared memory gs_onesweep_pass_32_keys") {
		t.Errorf("a variant without the shared memory of a kernel: %v", err)
	}
	none := onesweep(t)
	none.Module = "twosweep"
	if _, err := override(All(), none); err == nil || !strings.Contains(err.Error(), "no code of twosweep") {
		t.Errorf("a variant of no module: %v", err)
	}
}
