package main

import (
	"os"
	"path/filepath"
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
	rows := `{"city":"b","n":7,"ok":true,"price":2.5}`
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
		"--by ok:bool,city:i64": `"b" is no i64`, "--by price --count": "without --count", "--by 2 --header 0": "",
		"--by price --compression zstd --row-group 2": "", "--by price --compression best": "unknown value",
	} {
		_, stderr, code := sortTables(t, append(strings.Fields(args), in, "-o", filepath.Join(dir, "x.parquet"))...)
		if !strings.Contains(stderr, want) || (want == "") != (code == 0) {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
	short := filepath.Join(dir, "short.csv")
	os.WriteFile(short, []byte("a,b\n1,2\n3\n"), 0o666)
	if _, stderr, code := sortTables(t, short, "--by", "a", "-o", filepath.Join(dir, "y.parquet")); code != 2 || !strings.Contains(stderr, "row 2 of the output: it has 1 fields, and the table 2 columns") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "y.parquet")); err == nil {
		t.Error("an output is left")
	}
}
