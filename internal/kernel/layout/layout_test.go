package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSources fails when a device source was changed and zlayout.go was not made again, or
// when zlayout.go is not what was made.
func TestSources(t *testing.T) {
	var l struct {
		SHA256     string   `json:"sha256"`
		SourceHash string   `json:"source_hash"`
		Sources    []string `json:"sources"`
	}
	text, err := os.ReadFile("testdata/layout.json")
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		t.Fatalf("%v; run `make kernels`", err)
	}
	h := sha256.New()
	for _, s := range l.Sources {
		text, err := os.ReadFile(filepath.Join("../../..", filepath.FromSlash(s)))
		if err != nil {
			t.Fatalf("%v; run `make kernels`", err)
		}
		fmt.Fprintf(h, "%s %d\n", s, len(text))
		h.Write(text)
	}
	if hex.EncodeToString(h.Sum(nil)) != l.SourceHash {
		t.Error("device sources have changed since the layout was read from them; run `make kernels`")
	}
	code, err := os.ReadFile("zlayout.go")
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(code); hex.EncodeToString(sum[:]) != l.SHA256 {
		t.Error("zlayout.go is not what was read from the modules; run `make kernels`")
	}
	stages, _ := filepath.Glob("../../../kernels/cuda/stage/*.cu")
	for _, s := range stages {
		if !strings.Contains(strings.Join(l.Sources, "\n")+"\n", "/stage/"+filepath.Base(s)+"\n") {
			t.Errorf("%s is not among the sources of the layout; run `make kernels`", s)
		}
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]Kernel{
		"gs_onesweep_pass_32_keys":     {"onesweep", "pass", 32, 0},
		"gs_msdpairs_split_64_pairs32": {"msdpairs", "split", 64, 4},
		"gs_radix4_move_16":            {"radix4", "move", 16, 0},
		"gs_scan_blelloch_tiles_64":    {"scan", "blelloch_tiles", 64, 0},
		"gs_msd_widen":                 {"msd", "widen", 0, 0},
	} {
		if got, err := Named(name); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	if _, err := Named("onesweep"); err == nil {
		t.Error("a name without gs_ was taken")
	}
}

// TestShared: targets have their own numbers, Most takes the greatest, and what nobody can
// launch has none.
func TestShared(t *testing.T) {
	if a, b := Shared("sm_90", "onesweep", "pass", 32, 0), Shared("ptx", "onesweep", "pass", 32, 0); a <= b || b == 0 {
		t.Errorf("passes take %d and %d bytes, want more in machine code", a, b)
	}
	pass, small := Shared("ptx", "onesweep", "pass", 8, 0), Shared("ptx", "onesweep", "small", 8, 0)
	if got := Most("ptx", "onesweep", 8, 0, "sweep", "pass", "small"); got != max(pass, small) {
		t.Errorf("most of %d and %d is %d", pass, small, got)
	}
	all := Of("onesweep")
	if all["gs_onesweep_sweep_64_pairs64"] != Shared("sm_90", "onesweep", "sweep", 64, 8) || all["gs_onesweep_sweep_64_pairs64"] == 0 {
		t.Errorf("sweep has %d bytes in %v", all["gs_onesweep_sweep_64_pairs64"], all)
	}
	defer func() {
		if recover() == nil {
			t.Error("a kernel that PTX does not have was given shared memory")
		}
	}()
	Shared("ptx", "onesweep", "sweep", 64, 8)
}
