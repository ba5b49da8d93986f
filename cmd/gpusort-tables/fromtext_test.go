package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFromText: CSV becomes Parquet and Arrow, and is itself again when that becomes CSV; what
// --by says of columns are their types.
func TestFromText(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	text := "city,price,n,ok\r\nb,2.5,7,true\r\na,,-1,false\r\n\"\",1e3,,\r\n\"q \"\"x\"\", y\",0.5,0,true\n,9,2,false\n"
	if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	const by = "price:f64,n:i64,ok:bool"
	want := "city,price,n,ok\n\"q \"\"x\"\", y\",0.5,0,true\nb,2.5,7,true\n,9,2,false\n\"\",1000,,\na,,-1,false\n"
	rows := `{"city":"b","price":2.5,"n":7,"ok":true}`
	for _, ending := range []string{".parquet", ".feather", ".arrows"} {
		out := filepath.Join(dir, "out"+ending)
		if _, stderr, code := sortTables(t, in, "--by", by, "-o", out, "-S", "64M"); code != 0 {
			t.Fatalf("%s: %s", ending, stderr)
		}
		back := filepath.Join(dir, "back.csv")
		if _, stderr, code := sortTables(t, out, "--by", "price", "-o", back); code != 0 {
			t.Fatalf("%s: %s", ending, stderr)
		}
		if b, _ := os.ReadFile(back); string(b) != want {
			t.Errorf("%s: %q\nwant %q", ending, b, want)
		}
		json := filepath.Join(dir, "back.jsonl")
		if _, stderr, code := sortTables(t, out, "--by", "price", "-o", json); code != 0 {
			t.Fatalf("%s: %s", ending, stderr)
		}
		if b, _ := os.ReadFile(json); !strings.Contains(string(b), rows) {
			t.Errorf("%s: %s", ending, b)
		}
	}
	for args, want := range map[string]string{
		"--by ok:bool,city:i64": `"b" is no i64`, "--by n --types price": "column price has no type", "--by n --types price:number": "column price: number says how values compare", "--by n --types x:i64": `no column "x"`, "--by n --types city:i64": `row 1: column city: "b" is no i64`,
		"-m --by 2 --header 0 --types 2:i64": `"price" is no i64`, "--by n --types *:text,n:i64": "", "--by price --count": "without --count", "--by 2 --header 0": "",
		"--by price --compression zstd --row-group 2": "", "--by price --compression best": "unknown value",
	} {
		_, stderr, code := sortTables(t, append(strings.Fields(args), in, "-o", filepath.Join(dir, "x.parquet"))...)
		if !strings.Contains(stderr, want) || (want == "") != (code == 0) {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
	short := filepath.Join(dir, "short.csv")
	os.WriteFile(short, []byte("a,b\n1,2\n3\n"), 0o666)
	if _, stderr, code := sortTables(t, short, "--by", "a", "-o", filepath.Join(dir, "y.parquet")); code != 2 || !strings.Contains(stderr, "short.csv: row 2: it has 1 fields, and the table 2 columns") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "y.parquet")); err == nil {
		t.Error("an output is left")
	}
}

// TestTypes: columns whose values are all of a type have it, however late another value comes;
// what gives a value not back is text.
func TestTypes(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	var in strings.Builder
	in.WriteString("i,zip,f,ok,day,ts,utc,late,t\n")
	const rows = 60000
	for i := range rows {
		late := "7"
		if i == rows-2 {
			late = "n/a"
		}
		fmt.Fprintf(&in, "%d,%05d,%d.5,%v,2026-01-%02d,2026-01-01 10:00:%02d.25,2026-01-01 10:00:%02d+00,%s,\n", (i*7919)%rows-5, i%100, i%9, i%2 == 0, 1+i%31, i%60, i%60, late)
	}
	in.WriteString("\n")
	os.WriteFile(file("in.csv"), []byte(in.String()), 0o666)
	for _, c := range []struct{ args, first string }{
		{"", `{"i":-5,"zip":"00000","f":0.5,"ok":true,"day":"2026-01-01","ts":"2026-01-01T10:00:00.25","utc":"2026-01-01T10:00:00Z","late":"7","t":null}`},
		{"--types *:text,i:i64", `{"i":-5,"zip":"00000","f":"0.5","ok":"true","day":"2026-01-01","ts":"2026-01-01 10:00:00.25","utc":"2026-01-01 10:00:00+00","late":"7","t":null}`},
		{"--types zip:u64,day:text,late:text", `{"i":-5,"zip":0,"f":0.5,"ok":true,"day":"2026-01-01","ts":"2026-01-01T10:00:00.25","utc":"2026-01-01T10:00:00Z","late":"7","t":null}`},
		{"--top 1", `{"i":-5,"zip":"00000","f":0.5,"ok":true,"day":"2026-01-01","ts":"2026-01-01T10:00:00.25","utc":"2026-01-01T10:00:00Z","late":"7","t":null}`},
	} {
		args := append(strings.Fields(c.args), "--by", "i", "-S", "1M", file("in.csv"), "-o", file("x.parquet"))
		if _, stderr, code := sortTables(t, args...); code != 0 {
			t.Fatalf("%s: %s", c.args, stderr)
		}
		if _, stderr, code := sortTables(t, file("x.parquet"), "--by", "i:first", "-o", file("x.jsonl")); code != 0 {
			t.Fatalf("%s: %s", c.args, stderr)
		}
		b, _ := os.ReadFile(file("x.jsonl"))
		lines := strings.SplitAfter(string(b), "\n")
		first := slices.IndexFunc(lines, func(s string) bool { return !strings.Contains(s, `"i":null`) })
		want := rows + 2
		if c.args == "--top 1" {
			want = 2
		}
		if first < 0 || strings.TrimSpace(lines[first]) != c.first || len(lines) != want {
			t.Errorf("%s: %d lines: %s\nwant %s", c.args, len(lines), lines[max(first, 0)], c.first)
		}
		if c.args == "" && strings.Count(string(b), `"late":"n/a"`) != 1 {
			t.Error("the late value is lost")
		}
	}
	b, stderr, code := sortTables(t, "--explain", "--by", "i", file("in.csv"), "-o", file("y.arrow"))
	if code != 0 || !strings.Contains(string(b), "output: Arrow; a column has the type that gives all of its values back") {
		t.Errorf("%s, %s", b, stderr)
	}
	if _, err := os.Stat(file("y.arrow")); err == nil {
		t.Error("--explain writes")
	}
	{ // merged rows are written before all are read
		os.WriteFile(file("m.csv"), []byte("a,b\n1,2026-01-01T10:00:00+01:00\n2,\n"), 0o666)
		for types, want := range map[string]string{"": `"a":"1","b":"2026-01-01T10:00:00+01:00"`, "--types a:i64": `"a":1,`, "--types b:time:zone=UTC": `"b":"2026-01-01T09:00:00Z"`, "--types b:time": ""} {
			_, stderr, code := sortTables(t, append(strings.Fields(types), "-m", "--by", "a", file("m.csv"), "-o", file("m.parquet"))...)
			if want == "" {
				if code == 0 || !strings.Contains(stderr, "says its zone, and not all times do") {
					t.Errorf("%s: exit code %d, %s", types, code, stderr)
				}
				continue
			}
			if _, stderr, code := sortTables(t, file("m.parquet"), "--by", "a", "-o", file("m.jsonl")); code != 0 {
				t.Fatalf("%s: %s", types, stderr)
			}
			if b, _ := os.ReadFile(file("m.jsonl")); !strings.Contains(string(b), want) {
				t.Errorf("%s: %s, want %s", types, b, want)
			}
		}
	}
}
