package axes

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in, name string
		pow2     bool
		want     string
	}{
		{"Elements[pow2]=[8:28:2]", "Elements", true, "8 10 12 14 16 18 20 22 24 26 28"},
		{"Elements[pow2]=28", "Elements", true, "28"},
		{"KeyT=[u32, u64]", "KeyT", false, "u32 u64"},
		{"Entropy=[1.000,0.544,0.201]", "Entropy", false, "1.000 0.544 0.201"},
		{"P=[0:1:0.1]", "P", false, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"},
		{"N=[3:5]", "N", false, "3 4 5"},
		{"N=[1:8:3]", "N", false, "1 4 7"},
		{"N=[-2:2:2]", "N", false, "-2 0 2"},
		{"N=[1,4:6,9]", "N", false, "1 4 5 6 9"},
		{"N[]=[1]", "N", false, "1"},
		{"Elements=[50M,2^20]", "Elements", false, "50M 2^20"},
	} {
		a, err := Parse(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if a.Name != c.name || a.Pow2 != c.pow2 || strings.Join(a.Values, " ") != c.want {
			t.Errorf("%s: got %+v", c.in, a)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{
		"", "KeyT", "=u32", "KeyT=", "KeyT=[]", "KeyT=[u32", "KeyT=u32]", "KeyT=[a,,b]", "Key T=[1]",
		"N[log]=[1]", "N[pow2=[1]", "N[pow2]=[64]", "N[pow2]=[-1]", "N[pow2]=[x]", "N=[5:1]", "N=[1:5:0]",
		"N=[1:5:-1]", "N=[1:2:3:4]", "N=[a:b]", "N=[0:1e30]", "N=[0:99999999]", "N=[NaN:1]", "N=[0:inf]",
	} {
		if a, err := Parse(in); err == nil {
			t.Errorf("%q was taken: %+v", in, a)
		}
	}
}

func TestCells(t *testing.T) {
	s, err := ParseSet([]string{"Algo=[a,b]", "Elements[pow2]=[3,4]", "algo=[c,d,e]"})
	if err != nil {
		t.Fatal(err)
	}
	s = s.Default("KeyT=u32").Default("Elements=7")
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cells {
		n, err := c.Items("elements")
		if err != nil {
			t.Fatal(err)
		}
		a, _ := c.Get("Algo")
		k, _ := c.Get("KeyT")
		got = append(got, a+k+FormatCount(n))
	}
	want := []string{"cu328", "cu322^4", "du328", "du322^4", "eu328", "eu322^4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if _, ok := cells[0].Get("Dist"); ok {
		t.Error("a value on an axis that is not there")
	}
}

func TestTooManyCells(t *testing.T) {
	s, err := ParseSet([]string{"A=[0:4000]", "B=[0:4000]"})
	if err == nil {
		t.Errorf("%d axes taken", len(s))
	}
}

func TestParseCount(t *testing.T) {
	for in, want := range map[string]uint64{
		"0": 0, "1000": 1000, "1_000": 1000, "2^28": 1 << 28, "50M": 50e6, "1.5G": 15e8, "64Ki": 65536, "2^63": 1 << 63,
	} {
		if got, err := ParseCount(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "-1", "2^64", "1.5", "1e9", "x", "99999999999999999999", "M", "NaN", "Inf"} {
		if got, err := ParseCount(in); err == nil {
			t.Errorf("%q: %d", in, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"Elements[pow2]=[8:28:2]", "A=[1,2:3]", "A=b", "A[]=[0:1:0.25]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		if len(a.Values) == 0 || len(a.Values) > MaxValues || !validName(a.Name) {
			t.Fatalf("%q: %d values of %q", s, len(a.Values), a.Name)
		}
		b, err := Parse(a.String())
		if err != nil || b.Name != a.Name || b.Pow2 != a.Pow2 || !slices.Equal(a.Values, b.Values) {
			t.Fatalf("%q: %v does not come back: %v, %v", s, a, b, err)
		}
	})
}
