package grade

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/internal/key"
)

// keyNames are the key types as the two languages spell them.
var keyNames = map[key.Type][2]string{
	key.U8: {"uchar", "unsigned char"}, key.I8: {"char", "signed char"},
	key.U16: {"ushort", "unsigned short"}, key.I16: {"short", "short"},
	key.U32: {"uint", "unsigned int"}, key.I32: {"int", "int"},
	key.U64: {"ulong", "unsigned long long"}, key.I64: {"long", "long long"},
	key.F32: {"float", "float"}, key.F64: {"double", "double"},
}

// wrap is a submission's source with what the harness puts around it.
func wrap(r Rubric, k Kind, name, text string) string {
	prelude, postlude, language := "prelude.cl", "postlude.cl", 0
	if k == CU {
		prelude, postlude, language = "prelude.cuh", "postlude.cuh", 1
	}
	text = strings.TrimPrefix(text, "\ufeff") // editors mark UTF-8 by it, in front of a file only
	value := map[int]key.Type{8: key.U64}[r.spec.ValueBytes]
	if r.spec.ValueBytes != 8 {
		value = key.U32
	}
	desc := 0
	if r.spec.Order.Desc {
		desc = 1
	}
	return fmt.Sprintf("#define GPUSORT_KEY %s\n#define GPUSORT_VALUE %s\n#define GPUSORT_DESCENDING %d\n%s\n%s\n#line 1 \"%s\"\n%s\n%s",
		keyNames[r.keyType][language], keyNames[value][language], desc, embedded("types.h"), embedded(prelude), shortName(name), text, embedded(postlude))
}

var oddName = lazy.Regexp(`[^A-Za-z0-9._-]`)

// shortName is a file's name without what could end a string or a line.
func shortName(name string) string { return oddName().ReplaceAllString(filepath.Base(name), "_") }

// The words and signs that no submission needs. What they are for is refused
// before a compiler sees it; the sandbox holds what gets past.
var (
	asmWord = lazy.Regexp(`\b(asm|__asm|__asm__)\b`)
	paste   = lazy.Regexp(`##|%:%:|\?\?=\?\?=`)
	include = lazy.Regexp(`(?m)^[ \t\f\v\r]*(#|%:|\?\?=)[ \t\f\v\r]*(include|include_next|import|embed)\b[ \t]*(.*)$`)
	systems = lazy.Regexp(`^<[A-Za-z0-9_][A-Za-z0-9_/.-]*>`)
)

// checkSource refuses what would reach outside the submission: files of others
// and, where kernels are machine code of this machine's processor, assembly.
func checkSource(k Kind, onHost bool, text string) error {
	// Compilers of OpenCL end at it, before what the harness puts behind the source.
	if at := strings.IndexByte(text, 0); at >= 0 {
		return fmt.Errorf("line %d: a zero byte: save the source as plain text, in UTF-8", line(text, at))
	}
	if at := strings.Index(text, "??/"); at >= 0 {
		return fmt.Errorf("line %d: ??/ is refused, because not all compilers read it alike: write \\", line(text, at))
	}
	text = Plain(text)
	for _, m := range include().FindAllStringSubmatchIndex(text, -1) {
		what := text[m[6]:m[7]]
		if k == CU && systems().MatchString(what) && !strings.Contains(what, "..") {
			continue // the compiler's own headers
		}
		return fmt.Errorf("line %d: #%s %s: a submission is one file, and reads no other", line(text, m[4]), text[m[4]:m[5]], what)
	}
	if strings.Contains(text, "__has_include") || strings.Contains(text, "__has_embed") {
		return fmt.Errorf("__has_include: a submission is one file, and asks for no other")
	}
	if k != CL || !onHost {
		return nil
	}
	if at := asmWord().FindStringIndex(text); at != nil {
		return fmt.Errorf("line %d: %s: assembly is not OpenCL C", line(text, at[0]), text[at[0]:at[1]])
	}
	if at := paste().FindStringIndex(text); at != nil {
		return fmt.Errorf("line %d: ## is refused on a processor, because it can hide assembly: write the names out", line(text, at[0]))
	}
	return nil
}

func line(text string, at int) int { return 1 + strings.Count(text[:at], "\n") }

// Plain replaces comments by blanks and joins lines that a backslash breaks, as
// the first phases of translation do. Line numbers stay true but for the latter.
func Plain(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = splice().ReplaceAllString(s, "")
	return comment().ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, "/") {
			return " " + strings.Repeat("\n", strings.Count(m, "\n"))
		}
		return m // a string or a character
	})
}

// A quotation that its line does not end goes to the end of the line, as it does for compilers, also
// in lines that #if takes away: what looks like a comment in it is none.
var (
	splice  = lazy.Regexp(`\\[ \t\f\v]*\n`)
	comment = lazy.Regexp(`(?s)//[^\n]*|/\*.*?(?:\*/|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?`)
)
