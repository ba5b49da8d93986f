package jsonkey

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/key/by"
	"github.com/gpusort/gpusort/internal/run"
)

func format(t *testing.T, keys string) *Format {
	t.Helper()
	k, err := by.Parse(keys, by.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return New(k)
}

// sorted sorts lines.
func sorted(t *testing.T, keys, in string) (string, error) {
	t.Helper()
	var out strings.Builder
	inputs := []run.Input{func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(in)), nil }}
	_, err := run.Sort(t.Context(), run.Options{Format: format(t, keys)}, inputs, -1, &out)
	return out.String(), err
}

func TestSort(t *testing.T) {
	line := func(values ...string) string { return strings.Join(values, "\n") + "\n" }
	for _, c := range []struct{ keys, in, want string }{
		{"user.age,score:desc",
			line(`{"user": {"age": 30}, "score": 1}`, `{"score": 1e1, "user": {"name": "x", "age": 4}}`, `{"user": {"age": 30.0}, "score": 2}`, `{"user": null, "score": 3}`, `{"user": {"age": null}}`),
			line(`{"score": 1e1, "user": {"name": "x", "age": 4}}`, `{"user": {"age": 30.0}, "score": 2}`, `{"user": {"age": 30}, "score": 1}`, `{"user": null, "score": 3}`, `{"user": {"age": null}}`)},
		{"a", // kinds
			line(`{"a":{}}`, `{"a":[1]}`, `{"a":"x"}`, `{"a":""}`, `{"a":"10"}`, `{"a":9}`, `{"a":-1e9}`, `{"a":true}`, `{"a":false}`, `{"a":null}`, `{}`, ``, `7`),
			line(`{"a":false}`, `{"a":true}`, `{"a":-1e9}`, `{"a":9}`, `{"a":""}`, `{"a":"10"}`, `{"a":"x"}`, `{"a":[1]}`, `{"a":{}}`, `{"a":null}`, `{}`, ``, `7`)},
		{"a:desc", line(`{"a":1}`, `{}`, `{"a":"x"}`, `{"a":[]}`, `{"a":"xy"}`, `{"a":true}`, `{"a":2}`), line(`{"a":[]}`, `{"a":"xy"}`, `{"a":"x"}`, `{"a":2}`, `{"a":1}`, `{"a":true}`, `{}`)},
		{"a:desc:first", line(`{"a":1}`, `{}`, `{"a":[]}`), line(`{}`, `{"a":[]}`, `{"a":1}`)},
		{"a:first", line(`{"a":false}`, `{"b":1}`), line(`{"b":1}`, `{"a":false}`)},
		{"a:number", line(`{"a":"10"}`, `{"a":9}`, `{}`), line(`{"a":9}`, `{"a":"10"}`, `{}`)},
		{"a:text", line(`{"a":9}`, `{"a":"10"}`), line(`{"a":"10"}`, `{"a":9}`)},
		{"a:time", line(`{"a":"2026-01-01T01:00:00+02:00"}`, `{"a":"2026-01-01"}`, `{"a":"2025-12-31T23:30Z"}`), line(`{"a":"2026-01-01T01:00:00+02:00"}`, `{"a":"2025-12-31T23:30Z"}`, `{"a":"2026-01-01"}`)},
		{"1", line(`[1, 2]`, `[1, 1]`, `{"1": 0}`, `[1]`), line(`{"1": 0}`, `[1, 1]`, `[1, 2]`, `[1]`)},
		{`"a.b",a.b`, line(`{"a.b": 2}`, `{"a.b": 1, "a": {"b": 2}}`, `{"a": {"b": 1}, "a.b": 1}`), line(`{"a": {"b": 1}, "a.b": 1}`, `{"a.b": 1, "a": {"b": 2}}`, `{"a.b": 2}`)},
		{"a,a.b", line(`{"a":[1]}`, `{"a":{"b":1}}`, `{"a":{"b":0}}`), line(`{"a":[1]}`, `{"a":{"b":0}}`, `{"a":{"b":1}}`)},
		{"é", line(`{"é":2}`, `{"\u00e9":1}`), line(`{"\u00e9":1}`, `{"é":2}`)},
		{"a", line(`{"a":"\ufffd"}`, "{\"a\":\"\\/\xff\"}", `{"a":"\udfff"}`, "{\"a\":\"\\/\xfe\"}", `{"a":"\ud800\u0041"}`, `{"a":"\ud800\ud800"}`, `{"a":"\uD83D\uDE00"}`),
			line("{\"a\":\"\\/\xfe\"}", "{\"a\":\"\\/\xff\"}", `{"a":"\ud800\u0041"}`, `{"a":"\ud800\ud800"}`, `{"a":"\udfff"}`, `{"a":"\ufffd"}`, `{"a":"\uD83D\uDE00"}`)},
		{"a", line(`{"a":"\ud83d\ude00"}`, `{"a":"😀 "}`, `{"a":"\"\\\/\b\f\n\r\t"}`), line(`{"a":"\"\\\/\b\f\n\r\t"}`, `{"a":"\ud83d\ude00"}`, `{"a":"😀 "}`)},
		{"a", line(`{"a":2,"a":0}`, `{"a":1}`), line(`{"a":2,"a":0}`, `{"a":1}`)},
		{"a.b", line(`{"a":{"b":0},"a":{}}`, `{"a":{"b":1}}`), line(`{"a":{"b":1}}`, `{"a":{"b":0},"a":{}}`)},
		{"a", "{\"a\":2}\r\n{\"a\":1}", "{\"a\":1}\n{\"a\":2}\r\n"},
	} {
		if got, err := sorted(t, c.keys, c.in); err != nil || got != c.want {
			t.Errorf("%s of %s: %v\n%s\nwant\n%s", c.keys, c.in, err, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	for in, want := range map[string]string{
		`{"a":1}` + "\n{\"a\":01}": "input 1, row 2: this is no JSON: '1' stands at byte 7, where no digit behind a zero at the beginning should be",
		`{"a":1`:                   "the line ends where ',' or '}' should be",
		`{"a" 1}`:                  "'1' stands at byte 6, where ':' should be",
		`{"a":x}`:                  "'x' stands at byte 6, where a value should be",
		`{"a":1,}`:                 "where a name in quotes should be",
		`{a:1}`:                    "where a name in quotes should be",
		`{"a":-}`:                  "where a digit should be",
		`{"a":1} x`:                "'x' stands at byte 9, where the end of the line should be",
		`{"a":"b`:                  "the line ends where the end of a string should be",
		"{\"a\":\"\tb\"}":          "where no control character should be",
		`{"a":"\x"}`:               `where one of "\/bfnrtu should be`,
		`{"a":"\u12x4"}`:           "'x' stands at byte 11, where a hexadecimal digit should be",
		deep:                       "nested in each other more than 10000 times",
	} {
		if _, err := sorted(t, "a", in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", in, err, want)
		}
	}
	wide := "[" + strings.Repeat("[],{},[0],", 10000) + "0]\n"
	if got, err := sorted(t, "a", wide); err != nil || got != wide {
		t.Errorf("%.40s: %v", wide, err)
	}
	if _, err := sorted(t, "a.b:i64", `{"a":{"b":1.5}}`); err == nil || err.Error() != `input 1, row 1: a.b: "1.5" is no i64` {
		t.Error(err)
	}
}

// randomJSON makes a value, mostly a right one.
func randomJSON(r *rand.Rand, depth int) string {
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	space := pick("", "", " ", "\t", "\r")
	switch n := r.IntN(12); {
	case n < 4 && depth > 0:
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, pick(`"a"`, `"b"`, `"c d"`, `"\u0061"`, `""`)+space+":"+randomJSON(r, depth-1))
		}
		return space + "{" + space + strings.Join(parts, ",") + "}"
	case n < 6 && depth > 0:
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, randomJSON(r, depth-1))
		}
		return "[" + strings.Join(parts, ",") + space + "]"
	case n < 9:
		return pick("0", "-1", "1.5", "1e5", "2E-3", "-0", "10", "3e+2") + space
	}
	return space + pick("true", "false", "null", `"x"`, `"a longer string, é"`, `"\n\"\\"`, `""`, `"\ud83d\ude00"`)
}

// lookup follows a path in what encoding/json makes of a line.
func lookup(v any, path []string) any {
	for _, name := range path {
		switch w := v.(type) {
		case map[string]any:
			v = w[name]
		case []any:
			v = nil
			for i := range w {
				if fmt.Sprint(i) == name {
					v = w[i]
				}
			}
		default:
			return nil
		}
	}
	return v
}

// check compares a line with what encoding/json says of it.
func check(t *testing.T, line string) {
	t.Helper()
	paths := []string{"a", "b", "a.a", "a.b", "b.1", "0", "0.a", "1.1"}
	f := format(t, strings.Replace(strings.Join(paths, ","), "0,", `"0",`, 1))
	s := scanner{found: make([][]byte, len(paths))}
	err := s.line([]byte(line), f.root)
	blank := strings.Trim(line, " \t\r\n") == ""
	if valid := json.Valid([]byte(line)); (err == nil) != (valid || blank) {
		t.Fatalf("%q: %v, valid: %v", line, err, valid)
	}
	if err != nil || blank {
		return
	}
	read := func(b []byte) (v any) {
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		if err := d.Decode(&v); err != nil && len(b) > 0 {
			t.Fatalf("%q: %v", b, err)
		}
		return v
	}
	all := read([]byte(line))
	for i, p := range paths {
		if got, want := read(s.found[i]), lookup(all, strings.Split(p, ".")); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: %s is %v, want %v", line, p, got, want)
		}
	}
}

func TestLikeEncodingJSON(t *testing.T) {
	const signs = ",:{}[]\"\\0-+.eEtfnu \x01\x7f"
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		line := []byte(randomJSON(r, 4))
		if r.IntN(2) == 0 && len(line) > 0 { // break it, mostly
			switch i := r.IntN(len(line)); r.IntN(3) {
			case 0:
				line = append(line[:i:i], line[i+1:]...)
			case 1:
				line[i] = signs[r.IntN(len(signs))]
			default:
				line = line[:i]
			}
		}
		check(t, string(line))
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\u00e9"}],"b":-1.5e3}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Count(line, "[")+strings.Count(line, "{") < 1000 {
			check(t, line)
		}
	})
}

func BenchmarkKeys(b *testing.B) {
	k, _ := by.Parse("user.age,score:desc", by.Key{})
	line := []byte(`{"id": 123456789, "user": {"name": "epsilon", "age": 47}, "score": 0.8437}`)
	encode := New(k).Encoder()
	b.SetBytes(int64(len(line)))
	var dst []byte
	for b.Loop() {
		dst, _ = encode(dst[:0], line)
	}
}
