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
func sortStrings[S ~string](words []S) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options, desc bool) error { return rows.SortStrings(h, words, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.ArrangeBy(h, words, order) },
	}
}

// sortBytes sorts lines.
func sortBytes[B ~[]byte](lines []B) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options, desc bool) error { return rows.SortBytes(h, lines, desc) },
		By:   func(h cpu.Options, order func([]uint32) error) error { return rows.ArrangeBy(h, lines, order) },
	}
}

// argsortStrings writes the order of words to idx.
func argsortStrings[S ~string, I Integer](idx []I, words []S) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options, desc bool) error { return rows.ArgsortStrings(h, idx, words, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.IndicesBy(h, idx, len(words), order)
		},
	}
}

// argsortBytes writes the order of lines to idx.
func argsortBytes[B ~[]byte, I Integer](idx []I, lines []B) engine.TextSort {
	return engine.TextSort{
		Host: func(h cpu.Options, desc bool) error { return rows.ArgsortBytes(h, idx, lines, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.IndicesBy(h, idx, len(lines), order)
		},
	}
}

// textsDefault does t, which the function of that name does to x, with the Sorter of SetDefault, or the automatic
// choice. It panics with what t is refused for.
func textsDefault(name string, x op.Headers, desc bool, t engine.TextSort) {
	if x.Len() < fewTexts {
		must(name, t.Host(cpu.Options{}, desc))
		return
	}
	var err error
	asked := engine.Strings{Name: name, Texts: x, Desc: desc}
	if s := preferred.Load(); s != nil {
		_, err = s.engine.SortTexts(context.Background(), asked, t)
	} else {
		err = engine.SortTextsDefault(asked, t)
	}
	if err != nil {
		must(name, t.Host(cpu.Options{}, desc))
	}
}

// texts does t, which the function of that name does to x, with s until ctx ends.
func (s *Sorter) texts(ctx context.Context, name string, x op.Headers, t engine.TextSort) error {
	if err := s.check(name); err != nil {
		return err
	}
	r, err := s.engine.SortTexts(ctx, engine.Strings{Name: name, Texts: x, Desc: s.order.Desc}, t)
	s.note(ctx, r)
	return fail(name, err)
}
