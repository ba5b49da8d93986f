package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// asCommand is set in processes that are the command, not its test.
const asCommand = "GPUSORT_TEST_AS_TABLES"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// sortTables runs the command.
func sortTables(t *testing.T, args ...string) (out []byte, messages string, code int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(exe, append([]string{"sort"}, args...)...)
	c.Env = append(os.Environ(), asCommand+"=1")
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.Bytes(), stderr.String(), c.ProcessState.ExitCode()
}

// numbersParquet writes a Parquet file with a column n of the numbers.
func numbersParquet(t *testing.T, name string, numbers ...int64) {
	t.Helper()
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required,
		schema.FieldList{schema.NewInt64Node("n", parquet.Repetitions.Required, -1)}, -1)))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.NextColumn()
	if err == nil {
		_, err = c.(*file.Int64ColumnChunkWriter).WriteBatch(numbers, nil, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(name, b.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// readNumbers reads such a file.
func readNumbers(t *testing.T, b []byte) (all []int64) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for g := range r.NumRowGroups() {
		numbers := make([]int64, r.RowGroup(g).NumRows())
		c, err := r.RowGroup(g).Column(0)
		if err == nil {
			_, _, err = c.(*file.Int64ColumnChunkReader).ReadBatch(int64(len(numbers)), numbers, nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, numbers...)
	}
	return all
}

// TestSortColumns sorts Parquet files by the command's flags.
func TestSortColumns(t *testing.T) {
	dir := t.TempDir()
	in, out, folder := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out.parquet"), filepath.Join(dir, "folder")
	numbersParquet(t, in, 3, 1, 2, 1)
	os.MkdirAll(filepath.Join(folder, "part=1"), 0o777)
	numbersParquet(t, filepath.Join(folder, "part=1", "b.parquet"), 9, 7)
	numbersParquet(t, filepath.Join(folder, "a.parquet"), 8)
	os.WriteFile(filepath.Join(folder, "_SUCCESS"), nil, 0o666)
	for _, c := range []struct {
		args string
		want []int64
	}{
		{"--by n in", []int64{1, 1, 2, 3}}, {"--by n:desc in", []int64{3, 2, 1, 1}}, {"-r --by 1 in", []int64{3, 2, 1, 1}},
		{"-u --by n in", []int64{1, 2, 3}}, {"--by n in folder", []int64{1, 1, 2, 3, 7, 8, 9}}, {"-s -S 1 --parallel 2 --by n --row-group 2 folder", []int64{7, 8, 9}},
		{"--by n --compression gzip in in", []int64{1, 1, 1, 1, 2, 2, 3, 3}},
	} {
		args := strings.Fields(c.args)
		for i, a := range args {
			args[i] = map[string]string{"in": in, "folder": folder}[a]
			if args[i] == "" {
				args[i] = a
			}
		}
		b, stderr, code := sortTables(t, args...)
		if got := readNumbers(t, b); code != 0 || stderr != "" || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %s", c.args, got, stderr)
		}
		if b, stderr, code = sortTables(t, append(args, "-o", out, "--json")...); code != 0 {
			t.Errorf("%s: %s", c.args, stderr)
		}
		var report struct {
			Rows int64 `json:"rows_out"`
		}
		if err := json.Unmarshal(b, &report); err != nil || report.Rows != int64(len(c.want)) {
			t.Errorf("%s: %s, %v", c.args, b, err)
		}
		file, _ := os.ReadFile(out)
		if got := readNumbers(t, file); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v in the file", c.args, got)
		}
	}
	if _, stderr, code := sortTables(t, "--by", "n", in, "-o", in); code != 0 {
		t.Error(stderr)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"-c --by n in", 0, ""}, {"-C --by n:desc in", 1, ""}, {"-c --by n:desc in", 1, "in.parquet: row 3: disorder"}, {"-c -u --by n in", 1, "row 2: disorder"},
		{"in", 2, "which columns order its rows? give --by with names of them: there are n"}, {"--by m in", 2, `there is no column "m"`},
		{"--by n -n in", 2, "--numeric-sort is of lines, and "}, {"--by n --header 1 in", 2, "--header is of lines, rows of CSV, TSV and JSON Lines, and "}, {"--by n -t, in", 2, "--field-separator is of lines, rows of CSV, TSV and JSON Lines, and"},
		{"--by n -c -o x in", 2, "leave out -o"}, {"--by n in -", 2, "standard input is no table"}, {"--by n --compression best in", 2, `unknown value "best"`},
		{"--by n in -o dir/y.csv", 0, ""}, {"--by n in -o dir/y.csv.gz", 0, ""}, {"--by n in --compression zstd -o dir/x.csv", 2, "a text is compressed if its name ends in"}, {"--by n --row-group 0 in", 2, "give a whole number from 1"},
	} {
		_, stderr, code := sortTables(t, strings.Fields(strings.NewReplacer("in", in, "dir", dir).Replace(c.args))...)
		if code != c.code || !strings.Contains(stderr, c.want) || c.want == "" && stderr != "" {
			t.Errorf("%s: exit code %d, %s", c.args, code, stderr)
		}
	}
	b, stderr, code := sortTables(t, "--explain", "--by", "n:desc", in, in)
	if want := "2 files of Parquet, 8 rows of 1 columns\nkey 1: column n, required INT64, descending, missing values last\n"; code != 0 || !strings.HasPrefix(string(b), want) {
		t.Errorf("%s, %s", b, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.csv")); err == nil {
		t.Error("an output is left")
	}
}
