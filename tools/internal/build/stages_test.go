package build

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
)

// TestEachStage: every stage is called once with its place, reports come in order, and no
// error is lost.
func TestEachStage(t *testing.T) {
	stages := []string{"a", "b", "c", "d", "e"}
	bad := errors.New("refused")
	calls := make([]int, len(stages))
	var w bytes.Buffer
	err := eachStage(stages, &w, func(i int, file string, w io.Writer) error {
		calls[i]++
		fmt.Fprint(w, file, i, " ")
		if file == "b" {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || w.String() != "a0 b1 c2 d3 e4 " {
		t.Errorf("%v, reports %q", err, w.String())
	}
	for i, n := range calls {
		if n != 1 {
			t.Errorf("stage %s was called %d times", stages[i], n)
		}
	}
}
