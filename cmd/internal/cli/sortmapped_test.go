//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/soak"
)

// TestFileAsPipe sorts files of more than 1 MiB, whose rows may lie in the file, and the same
// bytes through a pipe: what is written, and what is told, agree.
func TestFileAsPipe(t *testing.T) {
	r, dir := soak.Rand(t), t.TempDir()
	rows := func(n int, row func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(row(i))
		}
		return b.String()
	}
	word := func() string { return strings.Repeat(string(rune('A'+r.IntN(40))), 1+r.IntN(3)) }
	lines := rows(60_000, func(int) string {
		return fmt.Sprintf("%s %d.%d %s%s\n", word(), r.IntN(90), r.IntN(9), word(), strings.Repeat(" x", r.IntN(12)))
	})
	records := lines[:len(lines)/16*16]
	cases := []struct {
		text string
		args []string
	}{{text: records, args: []string{"--record", "16", "--key", "3:5"}}, {text: records + "z", args: []string{"--record", "16", "--key", "0:4"}}}
	for _, args := range []string{"", "-r", "-k2,2n", "-k2,2 -k1,1r", "-s -k3,3", "-f", "-fs -k1,1", "-V", "-k2,2h", "-b -d -k3", "-n", "--header 1", "-R --random-source lines",
		"-u -k1,1", "-u --count", "--top 100 -k2,2gr", "-S 4M -k2,2g", "-S 4M", "-z", "--parallel 1 -k1,1"} {
		fields, text := strings.Fields(args), lines
		if args == "-z" {
			text = strings.ReplaceAll(lines, "\n", "\x00")
		}
		cases = append(cases, struct {
			text string
			args []string
		}{text, fields})
	}
	csv := "\xef\xbb\xbfname,price,said\r\n" + rows(40_000, func(i int) string {
		return fmt.Sprintf("%s,%d.5,\"%s,\n\"\"%d\"\"\"\r\n", word(), r.IntN(999), word(), i)
	})
	jsonl := rows(40_000, func(i int) string {
		return fmt.Sprintf("{\"name\": %q, \"price\": %d, \"n\": %d}\n", word(), r.IntN(99), i)
	})
	for _, by := range []string{"name,price:desc", "price"} {
		cases = append(cases, struct {
			text string
			args []string
		}{csv, []string{"--by", by}}, struct {
			text string
			args []string
		}{jsonl, []string{"--format", "jsonl", "--by", by}})
	}
	take := soak.Share(t, 3, 1)
	os.WriteFile(filepath.Join(dir, "lines"), []byte(lines), 0o666)
	for _, c := range cases {
		if !take() {
			continue
		}
		text := c.text
		if r.IntN(2) == 0 && len(c.args) > 0 && c.args[0] != "--record" {
			text = text[:len(text)-1] // the last row lacks its end
		}
		name := filepath.Join(dir, "in")
		os.WriteFile(name, []byte(text), 0o666)
		said := func(in io.Reader, args ...string) string {
			p := process(t, dir, append(append([]string{"sort", "--device", "cpu", "-T", dir}, c.args...), args...)...)
			p.Stdin = in
			var out, told bytes.Buffer
			p.Stdout, p.Stderr = &out, &told
			err := p.Run()
			return fmt.Sprintf("%s\nexit status %d, %s", &out, exitStatus(err), strings.ReplaceAll(told.String(), "standard input", "in"))
		}
		want := said(strings.NewReader(text)) // through a pipe
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, got := range map[string]string{"file": said(nil, "in"), "standard input": said(f)} {
			if got != want {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Errorf("%v of a %s: %d bytes, want %d, from byte %d on: %.200q, want %.200q", c.args, what, len(got), len(want), i, got[i:], want[i:])
			}
		}
		if at, _ := f.Seek(0, io.SeekCurrent); at != int64(len(text)) && !strings.Contains(want, "exit status 2") {
			t.Errorf("%v: standard input is left at byte %d of %d", c.args, at, len(text))
		}
		f.Close()
		if now, _ := os.ReadFile(name); string(now) != text {
			t.Fatalf("%v: the input was written", c.args)
		}
	}
}

// TestOntoItself sorts a file to itself: by -o, and by a standard output that writes over it
// byte for byte.
func TestOntoItself(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "in")
	var text, want strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "%06d\n", (i*7919)%200_000)
		fmt.Fprintf(&want, "%06d\n", i)
	}
	for _, by := range []string{"-o", "standard output"} {
		os.WriteFile(name, []byte(text.String()), 0o666)
		p := process(t, dir, "sort", "in")
		if by == "-o" {
			p.Args = append(p.Args, "-o", "in")
		} else {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			p.Stdout = f
		}
		if err := p.Run(); err != nil {
			t.Errorf("%s: %v", by, err)
		}
		if got, _ := os.ReadFile(name); string(got) != want.String() {
			t.Errorf("%s: the file is not sorted", by)
		}
	}
}
