package cli

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// sortLines runs "gpusort sort" in this process.
func sortLines(in []byte, args ...string) (out []byte, stderr string, code int) {
	var o, e bytes.Buffer
	a := &app{in: bytes.NewReader(in), out: &o, err: &e}
	code = a.run(context.Background(), append([]string{"sort"}, args...))
	return o.Bytes(), e.String(), code
}

// gnuSort is the installed sort in the C locale.
func gnuSort(t *testing.T, in []byte, args ...string) (out []byte, stderr string, code int) {
	t.Helper()
	c := exec.Command("sort", args...)
	c.Env = append(os.Environ(), "LC_ALL=C")
	c.Stdin = bytes.NewReader(in)
	var e bytes.Buffer
	c.Stderr = &e
	out, err := c.Output()
	return out, e.String(), exitStatus2(err)
}

func exitStatus2(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// haveGNU skips where no GNU sort is installed.
func haveGNU(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("sort", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU coreutils")) {
		absent.Skip(t, "GNU sort", "%v", err)
	}
}

// tokens are what lines are made of: each order meets what it reads.
var tokens = []string{
	"a", "b", "B", "A", "aa", "ab", "é", "zz", "0", "00", "1", "2", "10", "010", "-1", "-10", "+3", "1.5", "1.50", ".5", "-.5", "-0", "1e3", "1E-2",
	"1e", "0x10", "0x1p4", "0x1.8", "inf", "-inf", "Infinity", "1K", "2k", "1M", "1.5G", "0K", "-2K", "9Z", "3Y", "1R", "1Q", "Jan", "FEB", "mar",
	"december", "Ja", "v1.2.3", "v1.10", "a.tar.gz", "a1.tar", "a01.tar", ".a", ".", "..", "~", "a~", "a0", "a00b", "b~1", "x.1", "x.txt", "x.~1~", "_", "-", "9007199254740993",
	"9007199254740992", "18446744073709551617", "18446744073709551616", "0.1", "0.10000000000000000000001", "0.1000000000000000055", "1e4933", "-1e5000", "1e-5000", "3.6e-4951", "1.9e-4951", "99999999999999999999999999999999999999",
	"\x00", "\x01", "\x02", "\x7f", "\xff", "\x81", "\r", "\v", ",", ";", ":",
}

// randomLines makes text of a few lines that look alike. There is no NaN in it: GNU
// sort 9.1 may tell equal ones apart by bytes that were never set. Nor is there byte 0x80,
// which it takes for a separator of thousands.
func randomLines(r *rand.Rand, delim byte) []byte {
	var b []byte
	few := tokens
	if r.IntN(3) > 0 {
		few = nil
		for range 1 + r.IntN(8) {
			few = append(few, tokens[r.IntN(len(tokens))])
		}
	}
	seps := []string{" ", " ", "\t", "  ", ",", "", "\n", ";", " \t"}
	sep := seps[r.IntN(len(seps))]
	for range r.IntN(40) {
		for range r.IntN(5) {
			switch r.IntN(12) {
			case 0:
				if c := byte(r.IntN(256)); c != 0x80 {
					b = append(b, c)
				}
			case 1:
				b = strconv.AppendInt(b, r.Int64N(200)-100, 10)
			case 2:
				b = append(b, seps[r.IntN(len(seps))]...)
			default:
				b = append(b, few[r.IntN(len(few))]...)
			}
			if r.IntN(4) > 0 {
				b = append(b, sep...)
			}
		}
		b = append(b, delim)
	}
	if len(b) > 0 && r.IntN(4) == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// randomKey makes the argument of -k.
func randomKey(r *rand.Rand) string {
	var s strings.Builder
	options := func() {
		for range r.IntN(3) {
			if r.IntN(2) == 0 {
				s.WriteByte("bdfghiMnrV"[r.IntN(10)])
			}
		}
	}
	fmt.Fprint(&s, 1+r.IntN(4))
	if r.IntN(3) == 0 {
		fmt.Fprintf(&s, ".%d", 1+r.IntN(4))
	}
	options()
	if r.IntN(4) > 0 {
		fmt.Fprintf(&s, ",%d", 1+r.IntN(4))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&s, ".%d", r.IntN(4))
		}
		options()
	}
	return s.String()
}

// randomArgs makes flags that go with each other, mostly.
func randomArgs(r *rand.Rand, source string) (args []string, delim byte) {
	delim = '\n'
	if r.IntN(10) == 0 {
		args = append(args, "-R", "--random-source="+source)
	}
	if r.IntN(8) == 0 {
		args, delim = append(args, "-z"), 0
	}
	for _, f := range []string{"-r", "-s", "-u", "-b", "-f"} {
		if r.IntN(4) == 0 {
			args = append(args, f)
		}
	}
	if r.IntN(2) == 0 {
		args = append(args, []string{"-n", "-g", "-h", "-M", "-V", "-d", "-i", "-di", "-Vf", "--sort=version", "-nr", "-Vd", "-Vi"}[r.IntN(13)])
	}
	if r.IntN(3) == 0 {
		args = append(args, "-t", []string{",", ";", ":", " ", "\t", "\\0", "a"}[r.IntN(7)])
	}
	for range r.IntN(3) {
		args = append(args, "-k", randomKey(r))
	}
	return args, delim
}

// TestLikeGNU compares with the installed sort: random flags on random lines, sorted,
// checked and merged.
func TestLikeGNU(t *testing.T) {
	haveGNU(t)
	r := soak.Rand(t)
	n := 10000
	if testing.Short() {
		n = 300
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "random")
	os.WriteFile(source, []byte("sixteen bytes or more"), 0o666)
	bad := 0
	for i := 0; i < n && bad < 10; i++ {
		args, delim := randomArgs(r, source)
		in := randomLines(r, delim)
		switch r.IntN(8) {
		case 0:
			args = append(args, "-c")
		case 1, 2:
			args = append(args, "-m")
			fallthrough
		case 3:
			for f := range 1 + r.IntN(4) {
				name := filepath.Join(dir, strconv.Itoa(f))
				text := randomLines(r, delim)
				if r.IntN(4) > 0 {
					var code int
					if text, _, code = gnuSort(t, text, remove(args, "-m")...); code != 0 {
						continue
					}
				}
				os.WriteFile(name, text, 0o666)
				args = append(args, name)
			}
			if r.IntN(2) == 0 {
				args = append(args, "-")
			}
		}
		want, wantErr, wantCode := gnuSort(t, in, args...)
		got, gotErr, gotCode := sortLines(in, args...)
		if !bytes.Equal(got, want) || gotCode != wantCode || wantCode == 1 && gotErr != wantErr {
			bad++
			t.Errorf("sort %q of %q\ngot  %q, exit code %d, %q\nwant %q, exit code %d, %q", args, in, got, gotCode, gotErr, want, wantCode, wantErr)
		}
	}
}

// TestOptionsLikeGNU: what sort(1) takes for an option, a number or a size, and what it refuses.
func TestOptionsLikeGNU(t *testing.T) {
	haveGNU(t)
	file := filepath.Join(t.TempDir(), "7")
	os.WriteFile(file, []byte("10 b\n9 a\n"), 0o666)
	for _, line := range []string{
		"-y", "-y 3", "-y3", "-yx", "-ny", "-ny 3", "-y FILE", "-y -n", "-y -1", "-y3 FILE -", "-y3n", "-- -y",
		"-S 1e3", "-S 1E3", "-S 2^20", "-S 1.5", "-S 1_0", "-S 1e", "-S 1p", "-S +5", "-S\t+5M", "-S 5b", "-S 5B", "-S 5bb", "-S 7%", "-S -5", "-S %", "-S x", "-S 5k", "-S 5P",
		"-k +1", "-k\v1", "-k 1,+1n", "-k -1", "-k +", "-k +0", "-k ++1", "-k 1.+2", "-k\t2.\t1,\t2.\t3", "-k 1,", "-k 1,x",
		"--batch-size=+3", "--batch-size=\t3", "--batch-size=3x", "--batch-size=1", "--parallel=+3", "--parallel=0", "--parallel=x",
	} {
		args := strings.Fields(strings.NewReplacer("FILE", file, "\t", "\x01", "\v", "\x02").Replace(line))
		for i, a := range args {
			args[i] = strings.NewReplacer("\x01", "\t", "\x02", "\v").Replace(a)
		}
		in := []byte("10 b\n9 c\n9 a\n")
		want, wantErr, wantCode := gnuSort(t, in, args...)
		got, gotErr, gotCode := sortLines(in, args...)
		if !bytes.Equal(got, want) || gotCode != wantCode {
			t.Errorf("sort %q\ngot  %q, exit code %d, %q\nwant %q, exit code %d, %q", args, got, gotCode, gotErr, want, wantCode, wantErr)
		}
	}
	for _, size := range []string{"1.5GiB", "64MB", "5kB"} { // none of sort(1)'s, but clear
		if _, stderr, code := sortLines(nil, "-S", size); code != 0 {
			t.Errorf("-S %s: exit code %d, %s", size, code, stderr)
		}
	}
	if _, stderr, code := sortLines([]byte("b\na\n"), "--parallel", "99999999999"); code != 0 {
		t.Errorf("more threads than any machine has: exit code %d, %s", code, stderr)
	}
}

func remove(args []string, not string) (left []string) {
	for _, a := range args {
		if a != not {
			left = append(left, a)
		}
	}
	return left
}

// TestDebugLikeGNU compares what --debug writes with the installed sort: marks and warnings.
func TestDebugLikeGNU(t *testing.T) {
	haveGNU(t)
	r := soak.Rand(t)
	n := 3000
	if testing.Short() {
		n = 150
	}
	source := filepath.Join(t.TempDir(), "random")
	os.WriteFile(source, []byte("sixteen bytes or more"), 0o666)
	bad := 0
	for i := 0; i < n && bad < 10; i++ {
		args, delim := randomArgs(r, source)
		args = append(args, "--debug")
		if r.IntN(20) == 0 {
			args = append(args, []string{"-c", "-C", "-m"}[r.IntN(3)])
		}
		in := randomLines(r, delim)
		want, wantErr, wantCode := gnuSort(t, in, args...)
		got, gotErr, gotCode := sortLines(in, args...)
		if wantCode == 2 {
			wantErr, gotErr = "", ""
		}
		if !bytes.Equal(got, want) || gotCode != wantCode || gotErr != wantErr {
			bad++
			t.Errorf("sort %q of %q\ngot  %s, exit code %d, %s\nwant %s, exit code %d, %s", args, in, got, gotCode, gotErr, want, wantCode, wantErr)
		}
	}
}
