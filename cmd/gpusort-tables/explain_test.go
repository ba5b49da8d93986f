package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExplainRefuses: --explain refuses what the sort refuses before it reads rows, by the same
// message.
func TestExplainRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file("x.csv", "a,b\n2,x\n1,y\n")
	file("x.jsonl", "{\"a\":1}\n")
	file("x.txt", strings.Repeat("b\na\n", 100))
	file("x.u32", strings.Repeat("\x01\x00\x00\x00", 10))
	file("v.u32", strings.Repeat("\x01\x00\x00\x00", 9))
	dir += string(filepath.Separator)
	if _, stderr, code := sortTables(t, "--by", "a", dir+"x.csv", "-o", dir+"x.parquet"); code != 0 {
		t.Fatal(stderr)
	}
	random := regexp.MustCompile(`-[0-9a-f]{8}\.tmp`) // in names of temporary files
	for _, line := range []string{
		"--by a --types a @x.csv -o @y.parquet", "--by a --types a:u65 @x.csv -o @y.parquet", "--by a --types c:u64 @x.csv -o @y.parquet", "--by a --types a:u64 @x.csv -o @y.csv",
		"--by a --types a:u64 @x.parquet -o @y.parquet", "--by a --compression snappy @x.csv -o @y.arrow", "--by a --compression snappy @x.parquet -o @y.arrow",
		"--by a --compression zstd @x.parquet -o @y.csv", "--by a --compression zstd @x.csv -o @y.csv", "--by c @x.csv", "--by c @x.parquet", "--by a --count @x.jsonl", "--by a --count @x.csv -o @y.parquet",
		"--by a @x.csv -o @none/y.csv", "--by a @x.csv -o @none/y.parquet", "--by a @x.parquet -o @none/y.parquet", "@x.txt -o @none/y", "@x.txt -o @", "@x.txt -o @y.gz.bz2",
		"--split 4b @x.txt -o @part-%01d", "--split 4b @x.txt -o @part", "--record 3 --key 0:4 @x.txt", "@x.txt @none", "--by a @none.csv", "-k 1n,1 -k 0 @x.txt", "--random-source @none -R @x.txt",
		"--device cpu @x.u32 -o @none/y.u32", "--device cpu @x.u32 -o @y.u32.xz", "--device cpu @x.u32 -o @y.u64", "--device cpu @x.u32 --values @v.u32 --values-out @w.u32",
		"--device cpu @x.u32 -o @y.u32 --values @x.u32 --values-out @y.u32", "--device cpu @x.u32 -o @y.u32 --values @x.u32 --values-out @none/w.u32",
	} {
		args := strings.Fields(strings.ReplaceAll(line, "@", dir))
		_, want, code := sortTables(t, args...)
		out, stderr, explained := sortTables(t, append(args, "--explain")...)
		if code != 2 || explained != 2 || want == "" || random.ReplaceAllString(stderr, "") != random.ReplaceAllString(want, "") || len(out) > 0 {
			t.Errorf("%s: exit code %d, %s\n--explain: exit code %d, %s%s", line, code, want, explained, stderr, out)
		}
	}
}
