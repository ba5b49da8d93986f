package class

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/cmd/lab/grade"
)

// Pair is two submissions whose sources have much in common.
type Pair struct {
	A, B string
	// Share of the fingerprints of the shorter that the longer has too.
	Share float64
}

// Sources are compared as MOSS does (Schleimer, Wilkerson and Aiken 2003,
// "Winnowing"): tokens without names, comments and spaces, a hash of each run of
// run tokens, of each window of hashes the least. So a common passage of
// run + window − 1 tokens is always found, whatever was renamed around it.
const (
	run    = 16
	window = 12
	// leastPrints is what a source must have beyond the templates to be compared.
	leastPrints = 6
	// leastShare is from where on a pair is worth a look.
	leastShare = 0.4
)

// words are what a name is not.
var words = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long
		register return short signed sizeof static struct switch typedef union unsigned void volatile while barrier uint ulong uchar ushort
		global local kernel shared device syncthreads template typename class bool`) {
		all[w] = true
	}
	return all
})

// spellings are the signs that have two: trigraphs and digraphs.
var spellings = strings.NewReplacer("??(", "[", "??)", "]", "??<", "{", "??>", "}", "??=", "#", "??'", "^", "??!", "|", "??-", "~",
	"<:", "[", ":>", "]", "<%", "{", "%>", "}", "%:", "#")

// A quotation ends with its line at the latest, and names have letters of all scripts, also by number.
const letter = `[A-Za-z_$\x{80}-\x{10FFFF}]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}`

var token = lazy.Regexp(`"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|(?:` + letter + `)(?:` + letter + `|\d)*|\.?\d[\w.]*|\S`)

// prints are the fingerprints of a source.
func prints(source string) map[uint64]bool {
	var tokens []string
	for _, t := range token().FindAllString(grade.Plain(spellings.Replace(source)), -1) {
		switch c := t[0]; {
		case c == '"' || c == '\'':
			t = "s"
		case c >= '0' && c <= '9' || c == '.' && len(t) > 1:
			t = "0"
		case c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '$' || c >= utf8.RuneSelf || c == '\\' && len(t) > 1:
			// __kernel is kernel.
			if t = strings.Trim(t, "_"); !words()[t] {
				t = "x"
			}
		}
		tokens = append(tokens, t)
	}
	var hashes []uint64
	for i := 0; i+run <= len(tokens); i++ {
		h := fnv.New64a()
		h.Write([]byte(strings.Join(tokens[i:i+run], " ")))
		hashes = append(hashes, h.Sum64())
	}
	out := map[uint64]bool{}
	for i := 0; i+window <= len(hashes); i++ {
		out[slices.Min(hashes[i:i+window])] = true
	}
	return out
}

// alike compares sources pair by pair, without what they have of the templates.
// What has a zero byte is no source: no compiler was given it.
func alike(sources map[string]string) (out []Pair) {
	given := map[uint64]bool{}
	for _, k := range grade.Kinds() {
		if text, err := grade.Template(k); err == nil {
			for p := range prints(text) {
				given[p] = true
			}
		}
	}
	names, own := []string{}, map[string]map[uint64]bool{}
	for name, text := range sources {
		if strings.ContainsRune(text, 0) {
			continue
		}
		p := prints(text)
		for x := range given {
			delete(p, x)
		}
		if len(p) >= leastPrints {
			names, own[name] = append(names, name), p
		}
	}
	slices.Sort(names)
	for i, a := range names {
		for _, b := range names[i+1:] {
			few, many := own[a], own[b]
			if len(few) > len(many) {
				few, many = many, few
			}
			both := 0
			for p := range few {
				if many[p] {
					both++
				}
			}
			if share := float64(both) / float64(len(few)); share >= leastShare {
				out = append(out, Pair{shown(a), shown(b), share})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Pair) int { return cmp.Compare(y.Share, x.Share) })
	return out
}
