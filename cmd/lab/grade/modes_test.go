//go:build linux && (amd64 || arm64)

package grade

import (
	"strings"
	"testing"
)

// TestModes grades pairs, argsort, descending order, stability and a bound of
// processors: what does as asked gets full marks, the rest is told why not.
func TestModes(t *testing.T) {
	stable, unstable := compile(t, "testdata/modes.c"), compile(t, "testdata/modes.c", "-DUNSTABLE=1")
	keysAlone := compile(t, "testdata/honest.c")
	for _, c := range []struct{ name, path, rubric, want string }{
		{"descending", stable, "order = \"descending\"", ""},
		{"ascending instead", keysAlone, "order = \"descending\"", "out of order"},
		{"pairs", stable, "mode = \"pairs\"\nstable = true", ""},
		{"pairs without ties in the rubric", unstable, "distributions = []\nmode = \"pairs\"\nstable = true", "not stable"},
		{"positions for values", compile(t, "testdata/modes.c", "-DINVENTED=1"), "mode = \"pairs\"", "was not among those of the input"},
		{"pairs descending", stable, "mode = \"pairs\"\norder = \"descending\"\nstable = true", ""},
		{"unstable pairs", unstable, "mode = \"pairs\"\nstable = true", "not stable"},
		{"pairs of any order", unstable, "mode = \"pairs\"", ""},
		{"keys without values", keysAlone, "mode = \"pairs\"", "out of order|arrived with another key"},
		{"argsort", stable, "mode = \"argsort\"\nstable = true", ""},
		{"unstable argsort", unstable, "mode = \"argsort\"\nstable = true", "not stable"},
		{"argsort of any order", unstable, "mode = \"argsort\"", ""},
		{"no argsort", keysAlone, "mode = \"argsort\"", "repeats"},
		{"wide values", stable, "mode = \"argsort\"\nvalue_bytes = 8", "values of 8 bytes"},
		{"one processor", stable, "threads = 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.HasPrefix(c.rubric, "distributions") {
				c.rubric = "distributions = [\"few-distinct\"]\n" + c.rubric
			}
			rep := gradeFile(t, c.path, c.rubric+"\n[[size]]\nn = 300\npoints = 7\n")
			if c.want == "" {
				fullMarks(t, rep)
				return
			}
			said := rep.Cases[len(rep.Cases)-1].Reason
			found := false
			for _, w := range strings.Split(c.want, "|") {
				found = found || strings.Contains(said, w)
			}
			if rep.Score != 0 || !found {
				t.Errorf("%g points; want %q, the report says %q", rep.Score, c.want, said)
			}
		})
	}
}

// pairSort counts for each key how many belong before it, for pairs and either
// order.
const pairSort = `
GPUSORT_KERNEL(0)
{
  ulong t = get_global_id(0);
  if (t >= n) return;
  ulong to = 0;
  for (ulong i = 0; i < n; i++)
    to += GPUSORT_BEFORE(GPUSORT_KEYS[i], GPUSORT_KEYS[t]) || (GPUSORT_KEYS[i] == GPUSORT_KEYS[t] && i < t);
  GPUSORT_KEYS_ALT[to] = GPUSORT_KEYS[t];
  GPUSORT_VALUES_ALT[to] = GPUSORT_VALUES[t];
}
void gpusort_plan(__global gpusort_plan_t *plan, ulong n)
{
  plan->step[0].number = 0;
  plan->step[0].groups = (uint)(n / 64 + 1);
  plan->step[0].local_items = 64;
  plan->steps = 1;
  plan->result = 1;
}
`

func TestKernelPairs(t *testing.T) {
	openclOrSkip(t)
	const rubric = "mode = \"pairs\"\norder = \"descending\"\nstable = true\nvalue_bytes = 8\nkey = \"f32\"\ndistributions = [\"few-distinct\"]\n[[size]]\nn = 300\npoints = 7\n"
	fullMarks(t, gradeFile(t, writeFile(t, "pairs.cl", pairSort), rubric))
	rep := gradeFile(t, writeFile(t, "pairs.cl", strings.Replace(pairSort, "VALUES[t]", "VALUES[to]", 1)), rubric)
	if rep.Score != 0 || rep.Refused != "" {
		t.Errorf("values that stay: %g points, %q", rep.Score, rep.Refused)
	}
}
