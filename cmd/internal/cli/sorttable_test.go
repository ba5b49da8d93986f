package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// TestTableOdd: values that do not fit a guess have their place, and are told of.
func TestTableOdd(t *testing.T) {
	var in bytes.Buffer
	in.WriteString("n,s\n")
	for range 30000 {
		in.WriteString("7,some text\n")
	}
	in.WriteString("n/a,1\n8,\"\n\"\n")
	out, stderr, code := sortLines(in.Bytes(), "--by", "n")
	want := `sort: column n: not all values are of kind number, as the first ones are: "n/a" and its like stand beside empty ones; ` +
		"--by n:text orders all as text, n:number refuses them\n"
	if code != 0 || !bytes.HasSuffix(out, []byte("7,some text\n8,\"\n\"\nn/a,1\n")) || stderr != want {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	out, stderr, code = sortLines(in.Bytes(), "--by", "n:number")
	if want := "sort: standard input: row 30001: column n: \"n/a\" is no number\n"; code != 2 || len(out) > 0 || stderr != want {
		t.Errorf("exit code %d, %q, %s", code, out, stderr)
	}
}

// randomTable makes rows whose first field is their number.
func randomTable(r *rand.Rand, rows int) []byte {
	var b bytes.Buffer
	b.WriteString("id,number,text,\"day, of\",large\n")
	texts := []string{"", "a", "b", "a,b", `"q"`, "l\nm", "é", "zz", "A", " a", "a ", "\t", "10", "9"}
	quoted := func(s string) string {
		if strings.ContainsAny(s, ",\"\n") || r.IntN(5) == 0 {
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		}
		return s
	}
	for i := range rows {
		number, day, large := "", "", fmt.Sprint(r.Int64()-1<<62)
		if r.IntN(6) > 0 {
			number = fmt.Sprintf("%.*f", r.IntN(3), float64(r.IntN(200)-100)/4)
		}
		if r.IntN(6) > 0 {
			day = fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(3), 1+r.IntN(28))
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s,%s%s", i, quoted(number), quoted(texts[r.IntN(len(texts))]), day, large, []string{"\n", "\r\n"}[i%2])
	}
	return b.Bytes()
}

// tableCase is a table and how it is sorted.
type tableCase struct {
	File   string
	Keys   []tableKey
	Unique bool
}

type tableKey struct {
	Name        string
	Desc, First bool
}

// pythonOrder sorts by one key after the other with a stable sort.
const pythonOrder = `
import csv, json, sys
from decimal import Decimal
kinds = {'id': int, 'number': Decimal, 'text': lambda s: s.encode(), 'day, of': lambda s: s, 'large': int}
for c in json.load(sys.stdin):
    with open(c['File'], newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader(f))
    for k in reversed(c['Keys']):
        kind = kinds[k['Name']]
        some = [r for r in rows if r[k['Name']]]
        none = [r for r in rows if not r[k['Name']]]
        some.sort(key=lambda r: kind(r[k['Name']]), reverse=k['Desc'])
        rows = none + some if k['First'] else some + none
    if c['Unique']:
        seen, all = set(), rows
        rows = []
        for r in all:
            key = tuple(kinds[k['Name']](r[k['Name']]) if r[k['Name']] else None for k in c['Keys'])
            if key not in seen:
                rows.append(r)
            seen.add(key)
    print(' '.join(r['id'] for r in rows))
`

// duckOrder asks DuckDB.
const duckOrder = `
import duckdb, json, sys
kinds = {'id': 'bigint', 'number': 'double', 'text': 'varchar', 'day, of': 'date', 'large': 'bigint'}
for c in json.load(sys.stdin):
    keys = ['nullif("%s", \'\')::%s %s nulls %s' % (k['Name'], kinds[k['Name']], 'desc' if k['Desc'] else 'asc', 'first' if k['First'] else 'last') for k in c['Keys']]
    rows = duckdb.execute('select id from read_csv(?, all_varchar = true, header = true, delim = \',\', quote = \'"\', escape = \'"\', strict_mode = false) order by %s' % ', '.join(keys + ['id::bigint']), [c['File']]).fetchall()
    print(' '.join(r[0] for r in rows))
`

// TestTableLikePeers compares random orders of random tables with Python's csv and DuckDB.
func TestTableLikePeers(t *testing.T) {
	r := soak.Rand(t)
	dir := t.TempDir()
	tables := 200
	if testing.Short() {
		tables = 25
	}
	var cases []tableCase
	var got []string
	for i := range tables {
		c := tableCase{File: filepath.Join(dir, fmt.Sprint(i, ".csv")), Unique: r.IntN(4) == 0}
		os.WriteFile(c.File, randomTable(r, 1+r.IntN(100)), 0o666)
		var by []string
		for _, name := range []string{"number", "text", "day, of", "large"} {
			if r.IntN(2) == 0 {
				continue
			}
			k := tableKey{name, r.IntN(2) == 0, r.IntN(2) == 0}
			c.Keys = append(c.Keys, k)
			word := `"` + name + `"`
			if name == "text" {
				word += ":text"
			}
			if k.Desc {
				word += ":desc"
			}
			if k.First {
				word += ":first"
			}
			by = append(by, word)
		}
		if len(c.Keys) == 0 {
			c.Keys, by = []tableKey{{Name: "number"}}, []string{"2"}
		}
		args := []string{c.File, "--by", strings.Join(by, ",")}
		if c.Unique {
			args = append(args, "-u")
		}
		out, stderr, code := sortLines(nil, args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, stderr)
		}
		got = append(got, ids(t, out))
		if i == 0 { // the fuzzer checks rows; here, that all of them are there
			if in, _ := os.ReadFile(c.File); !c.Unique && len(in) != len(out) {
				t.Errorf("%d bytes out of %d", len(out), len(in))
			}
		}
		cases = append(cases, c)
	}
	for name, program := range map[string]string{"csv": pythonOrder, "duckdb": duckOrder} {
		t.Run(name, func(t *testing.T) {
			python := os.Getenv("GPUSORT_PYTHON")
			if python == "" {
				python = "python3"
			}
			if err := exec.Command(python, "-c", "import "+name).Run(); err != nil {
				absent.Skip(t, "Python with "+name, "%v; GPUSORT_PYTHON names a Python that has it", err)
			}
			these, want := cases, got
			if name == "duckdb" { // which of rows that tie is first it does not say
				these, want = nil, nil
				for i, c := range cases {
					if !c.Unique {
						these, want = append(these, c), append(want, got[i])
					}
				}
			}
			in, _ := json.Marshal(these)
			c := exec.Command(python, "-c", program)
			c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
			out, err := c.Output()
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
				if line != want[i] {
					text, _ := os.ReadFile(these[i].File)
					t.Fatalf("%+v of\n%s\ngot  %s\nwant %s", these[i], text, want[i], line)
				}
			}
		})
	}
}

// ids are the first fields of rows; those of lines within fields are no numbers.
func ids(t *testing.T, table []byte) string {
	t.Helper()
	var list []string
	for _, line := range strings.Split(string(table), "\n")[1:] {
		if id, rest, _ := strings.Cut(line, ","); rest != "" && strings.Trim(id, "0123456789") == "" {
			list = append(list, id)
		}
	}
	return strings.Join(slices.Clip(list), " ")
}
