package grade

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/gpusort/gpusort/cmd/internal/patient"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	_ "github.com/gpusort/gpusort/internal/algo/catalog/study" // the sorts that a rubric may name
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Rubric says what a submission can earn. Every criterion names an n, and
// counts only if all runs of that n were right.
type Rubric struct {
	Title string `toml:"title"` // default: Grade
	Doc   string `toml:"doc"`
	// Accept lists the kinds of submission: cl, cu, so. Without so, no host code
	// of a submission ever runs: what sorts is a kernel.
	Accept []string `toml:"accept"`
	Key    string   `toml:"key"` // key type; default u32
	// Mode is what is sorted: keys (default), pairs of keys and values, or argsort,
	// which returns the order of the keys as positions.
	Mode string `toml:"mode"`
	// ValueBytes is the width of a value or position: 4 (default) or 8.
	ValueBytes int `toml:"value_bytes"`
	// Order is ascending (default) or descending.
	Order string `toml:"order"`
	// Stable asks of pairs and argsort that equal keys keep their order.
	Stable bool `toml:"stable"`
	// Threads is how many processors a sort on the host may use; 0 is all.
	Threads int    `toml:"threads"`
	Device  string `toml:"device"` // default: the first that fits the kind
	// Dists are the distributions of every size; uniform is always among them,
	// low-bits-only where keys are wide, and few-distinct where Stable.
	Dists []string `toml:"distributions"`
	// Hidden is how many more are drawn by chance in each grading.
	Hidden int `toml:"hidden"`
	// Iterations are the measured runs per size and distribution, WarmUp those
	// before them. Each has an input of its own and is checked.
	Iterations int      `toml:"iterations"`
	WarmUp     int      `toml:"warm_up"`
	TimeLimit  Duration `toml:"time_limit"`  // of one run; default 10s
	TotalLimit Duration `toml:"total_limit"` // of the submission; default 10m
	// StartLimit is for opening the device, compiling, and whatever else is done
	// once for each n. Default 60s.
	StartLimit Duration `toml:"start_limit"`
	// TempLimit bounds the temporary storage that a submission may ask for.
	// Default: 8 times the keys and 64 MiB.
	TempLimit string `toml:"temp_limit"`

	Sizes  []Size  `toml:"size"`
	Speeds []Speed `toml:"speed"`
	Bars   []Bar   `toml:"bar"`

	spec    op.Spec // but for Items
	keyType key.Type
	dists   []dist.Dist
	temp    uint64
}

// longestLimit keeps sums of limits within a time.Duration.
const longestLimit = 1000 * time.Hour

// Duration is a time.Duration that TOML writes as "10s".
type Duration time.Duration

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v <= 0 || v > longestLimit {
		return fmt.Errorf("time limit %q: write it as 500ms, 10s or 5m, at most %.0fh", b, longestLimit.Hours())
	}
	*d = Duration(v)
	return nil
}

// Count is a number of keys, which TOML writes as an integer or as "2^20".
type Count uint64

// UnmarshalTOML reads an integer or what units.Parse reads.
func (c *Count) UnmarshalTOML(v any) error {
	switch x := v.(type) {
	case int64:
		if x < 0 {
			return fmt.Errorf("n = %d is negative", x)
		}
		*c = Count(x)
		return nil
	case string:
		n, err := units.Parse(x)
		*c = Count(n)
		return err
	}
	return fmt.Errorf("n = %v: write a number or \"2^20\"", v)
}

// Size gives points for a number of keys that is sorted right.
type Size struct {
	N      Count   `toml:"n"`
	Points float64 `toml:"points"`
}

// Speed gives min(points, best / ideal · points) for million elements per
// second.
type Speed struct {
	N      Count   `toml:"n"`
	Dist   string  `toml:"dist"` // default uniform
	Points float64 `toml:"points"`
	// Ideal is in million elements per second; IdealShare is a share of a
	// reference sort's rate on the same device, n and distribution. One of both.
	Ideal      float64 `toml:"ideal"`
	IdealShare float64 `toml:"ideal_share"`
	Reference  string  `toml:"reference"` // catalogue name; default: the first that can
	Use        string  `toml:"use"`       // best (default) or median
}

// The metrics of bars.
const (
	Occupancy = "occupancy"  // theoretical, 0 to 1, mean over the launches
	CopyShare = "copy_share" // 2·n·key bytes / time, as a share of the copy bandwidth
	Launches  = "launches"   // kernel launches of one sort
	Rate      = "melems"     // million elements per second
	Temp      = "temp_share" // temporary storage over the size of the keys
)

var metrics = []string{Occupancy, CopyShare, Launches, Rate, Temp}

// Bar gives all its points or none.
type Bar struct {
	Metric  string   `toml:"metric"`
	N       Count    `toml:"n"`
	AtLeast *float64 `toml:"at_least"`
	AtMost  *float64 `toml:"at_most"`
	Points  float64  `toml:"points"`
	// Unknown says what happens where the grader has not seen the metric: skip
	// (default) takes the points out of the maximum, zero leaves them there.
	Unknown string `toml:"unknown"`
}

// mostRuns bounds iterations and warm_up: more is a slip.
const mostRuns = 1_000_000

// ReadRubric loads and checks a file. An unknown key is an error: it would be a
// rule that does nothing. A pipe is waited for until ctx ends.
func ReadRubric(ctx context.Context, path string) (Rubric, error) {
	f, err := patient.Open(ctx, path, os.O_RDONLY)
	if err != nil {
		return Rubric{}, fmt.Errorf("rubric: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(patient.Reader{Ctx: ctx, R: f}, maxSource+1))
	switch {
	case err != nil:
		return Rubric{}, fmt.Errorf("rubric: %w", err)
	case len(text) > maxSource:
		return Rubric{}, fmt.Errorf("rubric %s: more than %d bytes", path, maxSource)
	}
	r, err := ParseRubric(string(text))
	if err != nil {
		return r, fmt.Errorf("rubric %s: %w", path, err)
	}
	return r, nil
}

// ParseRubric reads a rubric from text.
func ParseRubric(text string) (Rubric, error) {
	var r Rubric
	meta, err := toml.Decode(text, &r)
	if err != nil {
		return r, err
	}
	if u := meta.Undecoded(); len(u) > 0 {
		var keys []string
		for _, k := range u {
			keys = append(keys, k.String())
		}
		return r, fmt.Errorf("unknown setting %s", strings.Join(keys, ", "))
	}
	if !meta.IsDefined("warm_up") {
		r.WarmUp = 1
	}
	return r, r.complete()
}

// complete sets defaults and checks.
func (r *Rubric) complete() (err error) {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	if r.Title = Line(r.Title); r.Title == "" {
		r.Title = "Grade"
	}
	if r.Accept == nil {
		r.Accept = []string{string(CL), string(CU), string(SO)}
	}
	if len(r.Accept) == 0 {
		return fmt.Errorf("accept: names no kind: give some of cl, cu, so, or leave it out for all")
	}
	for _, a := range r.Accept {
		if !slices.Contains(Kinds(), Kind(a)) {
			return fmt.Errorf("accept: unknown kind %q: known are cl, cu, so", a)
		}
	}
	def(&r.Key, "u32")
	if r.keyType, err = key.Parse(r.Key); err != nil {
		return err
	}
	if err := r.completeSpec(def); err != nil {
		return err
	}
	if r.Iterations == 0 {
		r.Iterations = 3
	}
	if r.TimeLimit == 0 {
		r.TimeLimit = Duration(10 * time.Second)
	}
	if r.TotalLimit == 0 {
		r.TotalLimit = Duration(10 * time.Minute)
	}
	if r.StartLimit == 0 {
		r.StartLimit = Duration(60 * time.Second)
	}
	if r.TempLimit != "" {
		if r.temp, err = units.Parse(r.TempLimit); err != nil {
			return fmt.Errorf("temp_limit: %w", err)
		}
	}
	if r.Iterations < 1 || r.WarmUp < 0 || r.Hidden < 0 || max(r.Iterations, r.WarmUp) > mostRuns {
		return fmt.Errorf("iterations %d, warm_up %d, hidden %d: at least 1, 0 and 0, at most %d runs of each", r.Iterations, r.WarmUp, r.Hidden, mostRuns)
	}
	always := []string{"uniform"}
	if r.keyType.Bytes() >= 4 {
		// Uniform keys hardly ever agree in their upper halves: sorting by these would do.
		always = append(always, "low-bits-only")
	}
	if r.Stable {
		// Without equal keys every sort is stable.
		always = append(always, "few-distinct")
	}
	for _, name := range append(always, r.Dists...) {
		if err := r.addDist(name); err != nil {
			return err
		}
	}
	return r.completeCriteria(def)
}

// The words of mode and order.
var (
	modes  = []string{op.Keys.String(), op.Pairs.String(), op.Argsort.String()}
	orders = []string{"ascending", "descending"}
)

// completeSpec checks what is sorted.
func (r *Rubric) completeSpec(def func(*string, string)) error {
	def(&r.Mode, modes[0])
	def(&r.Order, orders[0])
	mode := slices.Index(modes, r.Mode)
	if mode < 0 {
		return fmt.Errorf("mode = %q: known are %s", r.Mode, strings.Join(modes, ", "))
	}
	if !slices.Contains(orders, r.Order) {
		return fmt.Errorf("order = %q: known are %s", r.Order, strings.Join(orders, ", "))
	}
	keysAlone := op.Mode(mode) == op.Keys
	switch {
	case keysAlone && (r.Stable || r.ValueBytes != 0):
		return fmt.Errorf("stable or value_bytes with mode = \"keys\": equal keys cannot be told apart; take mode = \"pairs\" or \"argsort\"")
	case !keysAlone && r.ValueBytes == 0:
		r.ValueBytes = 4
	case !keysAlone && r.ValueBytes != 4 && r.ValueBytes != 8:
		return fmt.Errorf("value_bytes = %d: known are 4 and 8", r.ValueBytes)
	}
	if r.Threads < 0 {
		return fmt.Errorf("threads = %d: at least 1, or 0 for all processors", r.Threads)
	}
	r.spec = op.Spec{Type: r.keyType, Mode: op.Mode(mode), Order: key.Order{Desc: r.Order == orders[1]}, ValueBytes: r.ValueBytes}
	return nil
}

// what says what is asked of the keys.
func (r *Rubric) what() string {
	s := r.Mode + " " + r.Order
	if r.Stable {
		s += " stable"
	}
	if r.Threads > 0 {
		s += fmt.Sprintf(", processors: %d", r.Threads)
	}
	return s
}

func (r *Rubric) addDist(name string) error {
	d, err := dist.Find(name)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(r.dists, func(x dist.Dist) bool { return x.Name == d.Name }) {
		r.dists = append(r.dists, d)
	}
	return nil
}

// finite reports whether v is a number of points, or a rate, and their sum is one.
func finite(v float64) bool { return v >= 0 && v <= 1e100 }

func (r *Rubric) completeCriteria(def func(*string, string)) error {
	if len(r.Sizes)+len(r.Speeds)+len(r.Bars) == 0 {
		return fmt.Errorf("no criteria: give at least one [[size]]")
	}
	for i, s := range r.Sizes {
		switch {
		case !finite(s.Points) || s.N < 2 && s.Points > 0:
			return fmt.Errorf("size n = %d with %g points: fewer than two keys are sorted by doing nothing, and points are finite and not negative", s.N, s.Points)
		case slices.ContainsFunc(r.Sizes[:i], func(x Size) bool { return x.N == s.N }):
			return fmt.Errorf("size n = %d stands there twice: give its points once", s.N)
		}
	}
	for i := range r.Speeds {
		s := &r.Speeds[i]
		def(&s.Dist, "uniform")
		def(&s.Use, "best")
		if err := r.addDist(s.Dist); err != nil {
			return fmt.Errorf("speed: %w", err)
		}
		switch {
		case s.N < 2 || !finite(s.Points):
			return fmt.Errorf("speed of n = %d for %g points: at least two keys, points finite and not negative", s.N, s.Points)
		case !finite(s.Ideal) || !finite(s.IdealShare):
			return fmt.Errorf("speed of n = %d: ideal %g and ideal_share %g: finite and not negative", s.N, s.Ideal, s.IdealShare)
		case (s.Ideal > 0) == (s.IdealShare > 0):
			return fmt.Errorf("speed of n = %d: give either ideal (Melem/s) or ideal_share (of the reference sort), above 0", s.N)
		case s.Use != "best" && s.Use != "median":
			return fmt.Errorf("speed of n = %d: use = %q: known are best, median", s.N, s.Use)
		case s.Reference != "" && s.IdealShare == 0:
			return fmt.Errorf("speed of n = %d: reference = %q does nothing without ideal_share", s.N, s.Reference)
		}
		if err := knownReference(s.Reference); err != nil {
			return fmt.Errorf("speed of n = %d: reference: %w", s.N, err)
		}
	}
	for i := range r.Bars {
		b := &r.Bars[i]
		def(&b.Unknown, "skip")
		switch {
		case !slices.Contains(metrics, b.Metric):
			return fmt.Errorf("bar: unknown metric %q: known are %s", b.Metric, strings.Join(metrics, ", "))
		case b.N < 2 || !finite(b.Points):
			return fmt.Errorf("bar %s, n = %d for %g points: at least two keys, points finite and not negative", b.Metric, b.N, b.Points)
		case b.AtLeast == nil && b.AtMost == nil:
			return fmt.Errorf("bar %s: give at_least, at_most or both", b.Metric)
		case b.AtLeast != nil && math.IsNaN(*b.AtLeast) || b.AtMost != nil && math.IsNaN(*b.AtMost),
			b.AtLeast != nil && b.AtMost != nil && *b.AtLeast > *b.AtMost:
			return fmt.Errorf("bar %s of n = %d: no figure meets its at_least and at_most", b.Metric, b.N)
		case b.Unknown != "skip" && b.Unknown != "zero":
			return fmt.Errorf("bar %s: unknown = %q: known are skip, zero; what was not seen earns nothing", b.Metric, b.Unknown)
		}
	}
	some := slices.ContainsFunc(r.Sizes, func(s Size) bool { return s.Points > 0 }) ||
		slices.ContainsFunc(r.Speeds, func(s Speed) bool { return s.Points > 0 }) || slices.ContainsFunc(r.Bars, func(b Bar) bool { return b.Points > 0 })
	if !some {
		return fmt.Errorf("no criterion gives points: write points = 3 or so below [[size]]")
	}
	return nil
}

// knownReference looks a reference sort up among those of all devices.
func knownReference(name string) error {
	if name == "" {
		return nil
	}
	if _, err := catalog.HostAlgorithm(name); err == nil {
		return nil
	}
	var known []string
	for _, a := range catalog.Algorithms() {
		if strings.EqualFold(a.Name, name) {
			return nil
		}
		known = append(known, a.Name)
	}
	for _, h := range catalog.Hosts() {
		known = append(known, h.Name+" (host)")
	}
	return fmt.Errorf("unknown sort %q: known are %s", name, strings.Join(known, ", "))
}

// Fits reports whether this machine's memory holds the greatest n: the buffers
// that a submission gets, and the grader's own copies of input and result.
func (r *Rubric) Fits() error {
	if left := room.Left(); r.temp > left {
		return fmt.Errorf("rubric: temp_limit of %s, and there are %s of memory: give a smaller one, or take a machine with more", units.Bytes(r.temp), units.Bytes(left))
	}
	for _, n := range r.ns() {
		each := uint64(r.keyType.Bytes() + r.ValueBytes)
		left := room.Left()
		if n > left/(each*buffers) {
			return fmt.Errorf("rubric: n = %d needs %d buffers of %d bytes an item, and there are %s of memory: take a smaller n, or a machine with more",
				n, buffers, each, units.Bytes(left))
		}
		if r.ValueBytes == 4 && n > math.MaxUint32 {
			return fmt.Errorf("rubric: n = %d positions do not fit into value_bytes = 4: take 8", n)
		}
	}
	return nil
}

// buffers of all items are there at a time: two that are shared, input and
// result of the grader, and as much for a sort.
const buffers = 5

// ns lists every n of the rubric, each once, ascending.
func (r *Rubric) ns() []uint64 {
	var out []uint64
	for _, s := range r.Sizes {
		out = append(out, uint64(s.N))
	}
	for _, s := range r.Speeds {
		out = append(out, uint64(s.N))
	}
	for _, b := range r.Bars {
		out = append(out, uint64(b.N))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// tempLimit is the most temporary storage for n keys.
func (r *Rubric) tempLimit(n uint64) uint64 {
	if r.temp != 0 {
		return r.temp
	}
	return 8*n*uint64(r.keyType.Bytes()+r.ValueBytes) + 64<<20
}
