package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// TestMessages: what a terminal acts on is never written, wherever the name stood.
func TestMessages(t *testing.T) {
	bad := "a\x1b[2Jb\nc"
	for _, args := range [][]string{{bad}, {"--output=" + bad}, {"-o" + bad}, {"-o", bad}} {
		var b bytes.Buffer
		text := "gpusort: open " + bad + ": no such file\nTry 'gpusort sort --help'.\n"
		n, err := newMessages(&b, args).Write([]byte(text))
		want := "gpusort: open \"a\\x1b[2Jb\\nc\": no such file\nTry 'gpusort sort --help'.\n"
		if b.String() != want || n != len(text) || err != nil {
			t.Errorf("%q: %q, %d, %v, want %q", args, b.String(), n, err, want)
		}
	}
	for text, want := range map[string]string{
		"plain × │ … naïve\t1\n": "plain × │ … naïve\t1\n", "a\rb": `a\rb`, "\x9b1m": `\x9b1m`, "\u009b1m": `\u009b1m`, "\u202eevil": `\u202eevil`,
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNamesInMessages gives such names to commands that fail, and to one that does not.
func TestNamesInMessages(t *testing.T) {
	dir := t.TempDir()
	bad := dir + "/a\x1b[2J\nb"
	for _, args := range [][]string{
		{"sort", "--type=u8", bad}, {"verify", "--type=u8", bad}, {"sort", "--type", "u8", "x", "-o", bad + "/c"}, {"bench", bad},
		{"compare", bad, bad}, {"grade", "--rubric", bad, bad}, {"report", bad}, {"sort", bad, bad}, {bad}, {"sort", "--" + bad}, {"help", bad},
	} {
		if out, msg, code := runOn(t, args...); code != exitError || strings.Contains(out+msg, "\x1b") || strings.Contains(msg, "\nb") {
			t.Errorf("%q: code %d, %q %q", args, code, out, msg)
		}
	}
	command(t, "gen", "--type=u8", "--dist=sorted", "--n=5", "--format=raw", "-o", bad)
	if out := command(t, "verify", "--type=u8", "--format=raw", bad); strings.Contains(out, "\x1b") || strings.Count(out, "\n") != 1 {
		t.Errorf("%q", out)
	}
}

// TestTakesCursor: who wants no control codes gets none, for colours or for the cursor.
func TestTakesCursor(t *testing.T) {
	for _, c := range []struct {
		term, noColor string
		want          bool
	}{{"xterm", "", true}, {"", "", true}, {"dumb", "", false}, {"xterm", "1", false}} {
		t.Setenv("TERM", c.term)
		t.Setenv("NO_COLOR", c.noColor)
		if got := takesCursor(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestTold: the operation of the system is left out, and what was said around it stays.
func TestTold(t *testing.T) {
	many := errors.New("too many")
	fails := &fs.PathError{Op: "fork/exec", Path: "prog", Err: many}
	for err, want := range map[error]string{
		error(fails):                          "prog: too many",
		fmt.Errorf("through p: %w: x", fails): "through p: prog: too many: x",
		fmt.Errorf("y: %w", many):             "y: too many",
	} {
		if got := told(err); got.Error() != want || !errors.Is(got, many) {
			t.Errorf("%v: %v, want %s", err, got, want)
		}
	}
}
