// Command verified turns the logs that a bundle's run.sh left behind into
// internal/kernel/verified.json, the record that the device code of this
// checkout passed its suite on a real GPU. It refuses logs of other device
// code, logs with a failure, and a run without a sanitizer. A log that a time
// limit ended is refused too, unless -incomplete says what it had still to do;
// the record then says so, and a test shows it as a skip.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/kernel"
)

func main() {
	dir := flag.String("dir", "", "folder with the logs of run.sh")
	root := flag.String("root", "..", "root of the repository")
	command := flag.String("command", "run.sh RESULTS equality suite sanitize", "the command that made the logs")
	incomplete := map[string]string{}
	flag.Func("incomplete", "`LOG=WHAT` a log that its time limit ended, and what had not ended in it; repeatable", func(v string) error {
		log, what, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("%q is not LOG=WHAT", v)
		}
		incomplete[log] = what
		return nil
	})
	flag.Parse()
	if err := run(*dir, *root, *command, incomplete); err != nil {
		fmt.Fprintln(os.Stderr, "verified:", err)
		os.Exit(1)
	}
}

// equality is the log of the step of that name, which a suite could be without.
const equality = "suite-internal-engine-suite-equality.log"

func run(dir, root, command string, incomplete map[string]string) error {
	v := kernel.Verified{Commands: []string{command}, Logs: map[string]kernel.Cases{}}
	if err := environment(dir, &v); err != nil {
		return err
	}
	if want := kernel.Hash(); v.Hash != want {
		return fmt.Errorf("the logs are about device code %.12s, this checkout has %.12s: make a new bundle and run it", v.Hash, want)
	}
	suites, _ := filepath.Glob(filepath.Join(dir, "suite-*.log"))
	sanitizers, _ := filepath.Glob(filepath.Join(dir, "sanitize-*.log"))
	if len(suites) == 0 || len(sanitizers) == 0 {
		return fmt.Errorf("%s holds %d suite logs and %d sanitizer logs: both steps are needed", dir, len(suites), len(sanitizers))
	}
	if longest := filepath.Join(dir, equality); !slices.Contains(suites, longest) {
		return fmt.Errorf("%s holds no %s: run.sh's step equality is needed", dir, equality)
	}
	for _, path := range append(suites, sanitizers...) {
		name := strings.TrimSuffix(filepath.Base(path), ".log")
		ending := "rc=0"
		if what := incomplete[name]; what != "" {
			ending = "rc=124" // that of timeout(1)
			v.Incomplete = append(v.Incomplete, what)
		}
		c, err := count(path, ending)
		if err != nil {
			return err
		}
		v.Logs[name] = c
	}
	for _, c := range v.Logs {
		v.Cases.Run += c.Run
		v.Cases.Failed += c.Failed
		v.Cases.Skipped += c.Skipped
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	path := filepath.Join(root, "internal", "kernel", "verified.json")
	if err := os.WriteFile(path, append(out, '\n'), 0o644); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(v.Logs)) {
		c := v.Logs[name]
		fmt.Printf("%-40s %8d run %4d failed %4d skipped\n", name, c.Run, c.Failed, c.Skipped)
	}
	fmt.Printf("wrote %s: %d cases on %s\n", path, v.Cases.Run, v.Device)
	return nil
}

// environment reads version.json and environment.txt.
func environment(dir string, v *kernel.Verified) error {
	text, err := os.ReadFile(filepath.Join(dir, "version.json"))
	if err != nil {
		return err
	}
	var version struct{ Kernels string }
	if err := json.Unmarshal(text, &version); err != nil {
		return fmt.Errorf("version.json: %w", err)
	}
	v.Hash = version.Kernels
	text, err = os.ReadFile(filepath.Join(dir, "environment.txt"))
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "name, driver_version") && i > 0 && i+1 < len(lines) {
			f := strings.Split(lines[i+1], ", ")
			v.Date, v.Device, v.Driver = lines[i-1], f[0], f[1]
			return nil
		}
	}
	return fmt.Errorf("environment.txt names no GPU")
}

var (
	totals = regexp.MustCompile(`^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$`)
	leaf   = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): `)
)

// count reads one log. A closing line "N passed, N failed, N skipped" counts
// cases; without one every line of a test counts. A log must have the ending.
func count(path, ending string) (kernel.Cases, error) {
	f, err := os.Open(path)
	if err != nil {
		return kernel.Cases{}, err
	}
	defer f.Close()
	var tests, cases kernel.Cases
	last, closing := "", false
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		last = line
		if m := totals.FindStringSubmatch(line); m != nil {
			closing = true
			n := func(s string) int { v, _ := strconv.Atoi(s); return v }
			cases = kernel.Cases{Run: n(m[1]) + n(m[2]), Failed: n(m[2]), Skipped: n(m[3])}
		} else if m := leaf.FindStringSubmatch(line); m != nil {
			switch m[1] {
			case "SKIP":
				tests.Skipped++
			case "FAIL":
				tests.Failed++
				fallthrough
			default:
				tests.Run++
			}
		}
	}
	if err := in.Err(); err != nil {
		return cases, fmt.Errorf("%s: %w", path, err)
	}
	if last != ending || tests.Failed != 0 || cases.Failed != 0 {
		return cases, fmt.Errorf("%s did not pass: its last line is %q", filepath.Base(path), last)
	}
	if closing {
		return cases, nil
	}
	return tests, nil
}
