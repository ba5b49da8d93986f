package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// fewTexts is the number of strings below which those functions that take no Sorter do not ask for one.
const fewTexts = 256

// sortStrings is the sort of words that the function of that name does.
func sortStrings[S ~string](name string, words []S, desc bool) engine.TextSort {
	return engine.TextSort{
		Name: name, Texts: op.HeadersOf(words), Desc: desc,
		Host: func(h cpu.Options) error { return rows.SortStrings(h, words, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.SortTextsBy(h, words, order) },
	}
}

// sortBytes is sortStrings of byte slices.
func sortBytes[B ~[]byte](name string, lines []B, desc bool) engine.TextSort {
	return engine.TextSort{
		Name: name, Texts: op.HeadersOf(lines), Desc: desc,
		Host: func(h cpu.Options) error { return rows.SortBytes(h, lines, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.SortTextsBy(h, lines, order) },
	}
}

// argsortStrings is the order of words that the function of that name writes to idx.
func argsortStrings[S ~string, I Integer](name string, idx []I, words []S, desc bool) engine.TextSort {
	return engine.TextSort{
		Name: name, Texts: op.HeadersOf(words), Desc: desc,
		Host: func(h cpu.Options) error { return rows.ArgsortStrings(h, idx, words, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.ArgsortTextsBy(h, idx, len(words), order)
		},
	}
}

// argsortBytes is argsortStrings of byte slices.
func argsortBytes[B ~[]byte, I Integer](name string, idx []I, lines []B, desc bool) engine.TextSort {
	return engine.TextSort{
		Name: name, Texts: op.HeadersOf(lines), Desc: desc,
		Host: func(h cpu.Options) error { return rows.ArgsortBytes(h, idx, lines, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.ArgsortTextsBy(h, idx, len(lines), order)
		},
	}
}

// textsDefault does t with the Sorter of SetDefault, or the automatic choice. It panics with what t is refused for.
func textsDefault(t engine.TextSort) {
	s := preferred.Load()
	if s == nil || t.Texts.Len() < fewTexts {
		must(t.Name, engine.SortTextsDefault(t))
		return
	}
	if _, err := s.engine.SortTexts(context.Background(), t); err != nil {
		must(t.Name, t.Host(cpu.Options{}))
	}
}

// texts does t with s, until ctx ends.
func (s *Sorter) texts(ctx context.Context, t engine.TextSort) error {
	r, err := s.engine.SortTexts(ctx, t)
	s.note(ctx, r)
	return fail(t.Name, err)
}
