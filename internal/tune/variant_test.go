package tune

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/variant"
	"github.com/gpusort/gpusort/internal/kernel/variant/varianttest"
)

// TestVariantHash: a variant's hash of unchanged rows is the table's, for every
// module, and taking them changes nothing.
func TestVariantHash(t *testing.T) {
	for name, m := range modules() {
		dir := t.TempDir()
		if _, err := varianttest.Write(dir, "policies.json", name, 32, map[bool]int{true: 4}[name == "msdpairs"], "", func([]uint32) {}); err != nil {
			t.Fatal(err)
		}
		v, err := variant.Load(dir)
		if err != nil {
			t.Fatal(name, err)
		}
		want, ok := Hash("cuda", name, "sm_90")
		if !ok || v.Hash() != want || len(m.params) != len(v.Params) {
			t.Errorf("%s: hash %016x, the table has %016x", name, v.Hash(), want)
		}
		before := maps.Clone(tableOnesweepCuda())
		if !use(v) || !maps.Equal(before, tableOnesweepCuda()) {
			t.Errorf("%s: the same rows were not taken, or changed the table of onesweep", name)
		}
		if got, _ := Hash("cuda", name, "sm_90"); got != want {
			t.Errorf("%s: hash %016x after the same rows, was %016x", name, got, want)
		}
		v.Params = v.Params[1:]
		if use(v) {
			t.Errorf("%s: rows of other parameters were taken", name)
		}
	}
}

// asChild makes the test binary print what a process with a variant sees.
const asChild = "GPUSORT_TEST_VARIANT_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) != "" {
		child()
		return
	}
	os.Exit(m.Run())
}

func child() {
	p, _ := OnesweepCudaFor("sm_90", 32, 0)
	hash, _ := Hash("cuda", "onesweep", "sm_90")
	code, _ := kernel.PolicyHash("cuda", "onesweep", "sm_90")
	ptx, _ := OnesweepCudaFor("ptx", 32, 0)
	fmt.Printf("items %d, ptx %d, hash %016x, code %016x\n", p.Items, ptx.Items, hash, code)
	for _, im := range kernel.Images("cuda", "onesweep")[:1] {
		data, err := im.Data()
		fmt.Printf("data %.16q, %v\n", data, err)
	}
	_, err := kernel.Images("opencl", "lsd")[0].Data()
	fmt.Println("opencl", err)
}

// TestVariantInProcess runs processes with the environment variable: with a
// variant that fits, with none there, and with one of other sources.
func TestVariantInProcess(t *testing.T) {
	run := func(dir string) string {
		t.Helper()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asChild+"=1", variant.Env+"="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	contains := func(text string, wants ...string) {
		t.Helper()
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
	}
	old, _ := OnesweepCudaFor("sm_90", 32, 0)
	ptx, _ := OnesweepCudaFor("ptx", 32, 0)
	good := filepath.Join(t.TempDir(), "v")
	info, err := varianttest.Write(good, "policies.json", "onesweep", 32, 0, kernel.Images("cuda", "onesweep")[0].SourceHash, func(v []uint32) { v[1]++ })
	if err != nil {
		t.Fatal(err)
	}
	contains(run(good), "warning: GPUSORT_VARIANT", "for development only", fmt.Sprintf("items %d, ptx %d, hash %s, code %s", old.Items+1, ptx.Items, info.PolicyHash, info.PolicyHash),
		`data "no machine code", <nil>`, "opencl <nil>")

	missing := filepath.Join(t.TempDir(), "missing")
	contains(run(missing), "warning: no CUDA code is run", fmt.Sprintf("items %d,", old.Items), `data "", kernel: GPUSORT_VARIANT=`+missing, "no such file", "opencl <nil>")

	other := filepath.Join(t.TempDir(), "v")
	if _, err := varianttest.Write(other, "policies.json", "onesweep", 32, 0, strings.Repeat("0", 64), func(v []uint32) { v[1]++ }); err != nil {
		t.Fatal(err)
	}
	contains(run(other), `data "", kernel: variant onesweep-test was built from other sources`)
}
