package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// fewTexts is the number of strings below which functions that take no Sorter do not ask for one.
const fewTexts = 256

// sortStrings sorts words.
func sortStrings[S ~string](words []S, desc bool) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options) error { return rows.SortStrings(h, words, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.ArrangeBy(h, words, order) },
	}
}

// sortBytes sorts lines.
func sortBytes[B ~[]byte](lines []B, desc bool) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options) error { return rows.SortBytes(h, lines, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.ArrangeBy(h, lines, order) },
	}
}

// argsortStrings writes the order of words to idx.
func argsortStrings[S ~string, I Integer](idx []I, words []S, desc bool) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options) error { return rows.ArgsortStrings(h, idx, words, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.IndicesBy(h, idx, len(words), order)
		},
	}
}

// argsortBytes writes the order of lines to idx.
func argsortBytes[B ~[]byte, I Integer](idx []I, lines []B, desc bool) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options) error { return rows.ArgsortBytes(h, idx, lines, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.IndicesBy(h, idx, len(lines), order)
		},
	}
}

// textsDefault does t, which the function of that name does to x, with the Sorter of SetDefault, or the automatic
// choice. It panics with what t is refused for.
func textsDefault(name string, x op.Headers, desc bool, t engine.TextSort) {
	s := preferred.Load()
	switch {
	case x.Len() < fewTexts:
		must(name, t.Host(cpu.Options{}))
	case s == nil:
		must(name, engine.SortTextsDefault(engine.Strings{Name: name, Texts: x, Desc: desc}, t))
	default:
		if _, err := s.engine.SortTexts(context.Background(), engine.Strings{Name: name, Texts: x, Desc: desc}, t); err != nil {
			must(name, t.Host(cpu.Options{}))
		}
	}
}

// texts does t, which the function of that name does to x, with s, which was checked, until ctx ends.
func (s *Sorter) texts(ctx context.Context, name string, x op.Headers, t engine.TextSort) error {
	r, err := s.engine.SortTexts(ctx, engine.Strings{Name: name, Texts: x, Desc: s.order.Desc}, t)
	s.note(ctx, r)
	return fail(name, err)
}
