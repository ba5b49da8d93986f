package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLarge: numbers that go through records, because memory may hold one byte, come out
// as those that memory holds, whatever their type, form and order.
func TestLarge(t *testing.T) {
	dir := t.TempDir()
	run := func(stdin string, args ...string) (string, int) {
		c := process(t, dir, args...)
		if stdin != "" {
			f, err := os.Open(filepath.Join(dir, stdin))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			c.Stdin = io.MultiReader(f) // a pipe
		}
		b, err := c.CombinedOutput()
		return string(b), exitStatus(err)
	}
	must := func(stdin string, args ...string) {
		t.Helper()
		if s, code := run(stdin, args...); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, s)
		}
	}
	const n = "30001"
	must("", "gen", "--type", "u16", "--n", n, "--seed", "9", "-o", "v.u16")
	for i, typ := range []string{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"} {
		if testing.Short() && i%3 != 0 {
			continue // one of three types
		}
		in := "k." + typ
		must("", "gen", "--type", typ, "--n", n, "-o", in)
		must("", "sort", in, "--argsort", "-o", "shuffle.npy")
		must("", "sort", in, "-o", "k.npy")
		must("", "sort", in, "-o", "k.txt")
		os.Rename(filepath.Join(dir, "k.txt"), filepath.Join(dir, "sorted.txt"))
		for _, args := range [][]string{
			{in}, {in, "-r", "-o", "out.npy"}, {in, "--nan", "last", "-o", "out.txt"}, {"k.npy", "-r"},
			{"sorted.txt", "--type", typ, "-r"},
			{in, "--values", "v.u16", "--values-out", "vo.u16"},
			{in, "-r", "--equal-zeros", "--values", "k.npy", "--values-out", "vo.npy"},
			{in, "--argsort", "-r", "--index", "u32", "-o", "out.npy"}, {"sorted.txt", "--type", typ, "--argsort", "-o", "out.txt"},
			{"-", "--type", typ, "--format", "raw"}, {"-", "--type", typ, "--format", "raw", "--argsort", "-r"},
		} {
			stdin := ""
			if args[0] == "-" {
				stdin = in
			}
			outputs := func() (all []byte) {
				for _, name := range []string{"out", "out.npy", "out.txt", "vo.u16", "vo.npy"} {
					b, err := os.ReadFile(filepath.Join(dir, name))
					if err == nil {
						all = fmt.Appendf(append(all, b...), "<%s>", name)
						os.Remove(filepath.Join(dir, name))
					}
				}
				return all
			}
			args = append([]string{"sort", "--device", "cpu", "-v"}, args...)
			if !slices.Contains(args, "-o") {
				args = append(args, "-o", "out")
			}
			s, code := run(stdin, args...)
			want := outputs()
			if code != 0 || strings.Contains(s, "(runs)") || len(want) == 0 {
				t.Fatalf("%v: exit code %d: %s", args, code, s)
			}
			s, code = run(stdin, append(args, "-S", "1b")...)
			if code != 0 || !strings.Contains(s, "(runs)") {
				t.Errorf("%v: exit code %d: %s", args, code, s)
			}
			if !bytes.Equal(outputs(), want) {
				t.Errorf("%v: another result", args)
			}
		}
	}
}

// TestLargeErrors: what is wrong with numbers is said as it is of those in memory.
func TestLargeErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("out", []byte("old"))
	write("long.txt", append(bytes.Repeat([]byte("1234567\n"), 1<<20), "\n\n5x\n"...))
	write("gap.txt", append(bytes.Repeat([]byte("1234567\n"), 1<<20), "\n\n5\n"...))
	write("wide.txt", bytes.Repeat([]byte("9"), 9<<20))
	write("marks.txt", append(bytes.Repeat([]byte("12345678901\r\n"), 1<<19), "\ufeff7\n"...))
	write("k.u32", make([]byte, 4000))
	write("v.u32", make([]byte, 3996))
	write("more.u32", make([]byte, 4004))
	write("odd.u32", make([]byte, 4001))
	for _, c := range []struct {
		args  []string
		stdin string
		want  string
	}{
		{[]string{"long.txt", "--type", "u32"}, "", "long.txt: line 1048577 is empty"},
		{[]string{"gap.txt", "--type", "f64"}, "", "gap.txt: line 1048577 is empty"},
		{[]string{"wide.txt", "--type", "u64", "--format", "text"}, "", "wide.txt: line 1: "},
		{[]string{"marks.txt", "--type", "u64"}, "", "marks.txt: line 524289: "},
		{[]string{"-", "--type", "u32", "--format", "raw"}, "odd.u32", "standard input: length of 4001 bytes is no multiple of 4"},
		{[]string{"k.u32", "--values", "-", "--value-type", "u32", "--values-out", "vo"}, "v.u32", "there must be one value per key"},
		{[]string{"k.u32", "--values", "-", "--value-type", "u32", "--values-out", "vo"}, "more.u32", "there must be one value per key"},
	} {
		p := process(t, dir, append([]string{"sort", "--device", "cpu", "-S", "1b", "-o", "out"}, c.args...)...)
		if c.stdin != "" {
			b, _ := os.ReadFile(filepath.Join(dir, c.stdin))
			p.Stdin = bytes.NewReader(b) // a pipe
		}
		b, err := p.CombinedOutput()
		if code := exitStatus(err); code != exitError || !strings.Contains(string(b), c.want) || bytes.Count(b, []byte("\n")) != 1 {
			t.Errorf("%v: exit code %d: %s", c.args, code, b)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "out")); string(b) != "old" {
		t.Errorf("the output has changed to %.20q", b)
	}
	if left := temps(dir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
