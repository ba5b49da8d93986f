package peer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

func TestPathsNeedASeparator(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("lib.so", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := Paths([]string{"lib.so"}); err == nil {
		t.Errorf("a bare name was taken: %v", got)
	}
	got, err := Paths([]string{"./lib.so"})
	if err != nil || len(got) != 1 || !filepath.IsAbs(got[0]) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Paths([]string{"./absent.so"}); err == nil {
		t.Error("a file that is not there was taken")
	}
	t.Setenv(EnvPeers, "")
	if got, err := Paths(nil); err != nil || got != nil {
		t.Errorf("nothing named, but %v, %v", got, err)
	}
	t.Setenv(EnvPeers, strings.Join([]string{"./lib.so", "./lib.so"}, string(os.PathListSeparator)))
	if got, err := Paths(nil); err != nil || len(got) != 2 {
		t.Errorf("from the environment: %v, %v", got, err)
	}
}

func TestSupports(t *testing.T) {
	i := Info{Name: "x", KeyTypes: 1<<key.U32 | 1<<key.F32, PairTypes: 1 << key.U32, Modes: 1<<plan.Keys | 1<<plan.Pairs, ValueBytes: 4, Flags: Stable, MaxItems: 100}
	for _, c := range []struct {
		p    plan.Problem
		want string
	}{
		{plan.Problem{Type: key.U32, Items: 100}, ""},
		{plan.Problem{Type: key.U32, Items: 101}, "at most 100"},
		{plan.Problem{Type: key.U64}, "u64"},
		{plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}, ""},
		{plan.Problem{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4}, "f32 pairs"},
		{plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 8}, "8 bytes"},
		{plan.Problem{Type: key.U32, Mode: plan.Argsort, ValueBytes: 4}, "no mode argsort"},
		{plan.Problem{Type: key.U32, Order: key.Order{Desc: true}}, "ascending"},
	} {
		err := i.Supports(c.p)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.p, err, c.want)
		}
	}
	i.Flags = 0
	if err := i.Supports(plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}); err == nil {
		t.Error("pairs by a sorter that is not stable")
	}
}

// TestPathsAsTheVariable: the flag takes what the variable takes, and lists with
// commas too.
func TestPathsAsTheVariable(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.so", "b.so", "c,d.so"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sep := string(os.PathListSeparator)
	for _, flag := range [][]string{
		{"./a.so" + sep + "./b.so" + sep + "./c,d.so"}, {"./a.so,./b.so" + sep + "./c,d.so"}, {"./a.so", "./b.so", "./c,d.so"}, {"./a.so,./b.so", "./c,d.so"},
	} {
		got, err := Paths(flag)
		if err != nil || len(got) != 3 || filepath.Base(got[0]) != "a.so" || filepath.Base(got[1]) != "b.so" || filepath.Base(got[2]) != "c,d.so" {
			t.Errorf("%q: %q, %v", flag, got, err)
		}
	}
}
