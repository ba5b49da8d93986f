package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/lab/compare"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// shareValue is a share as a flag, in percent: 5 and 5% are 0.05; negative until set.
type shareValue float64

func (s *shareValue) String() string {
	if *s < 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*s), 'g', 6, 64) + "%"
}
func (s *shareValue) Type() string { return "PERCENT" }
func (s *shareValue) Set(t string) error {
	text := strings.TrimSuffix(strings.TrimSpace(t), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Errorf("%q is no percentage: write 5 or 5%%", t)
	}
	*s = shareValue(v / 100)
	return nil
}

func (a *app) compareCommand() *cobra.Command {
	tolerance, fail := shareValue(0.02), shareValue(-1)
	as, devices := "text", []string(nil)
	c := &cobra.Command{
		Use:   "compare OLD.jsonl NEW.jsonl [flags]",
		Short: "Judge new benchmark results against old ones",
		Long: `Compare the results of two 'gpusort bench --json' runs, cell by cell: the ratio of
medians with its interval, the Mann-Whitney test, corrected for the number of cells,
and a verdict. SAME: the whole interval of the ratio lies within the tolerance. FAST
and SLOW: a significant difference, larger than the tolerance, and 1 outside the
interval. AMBIGUOUS: too noisy to say; measure longer. BROKEN: it worked in OLD and
does not in NEW.

On a machine that is busy with other work, two equal runs differ. One run of each is
then AMBIGUOUS at best; measure both at least 4 times, in turns, into two files
(cat joins files, tools/turns.sh takes turns).

--devices sets one device against another. Both may be of one file, given twice.`,
		Example: `  gpusort compare old.jsonl new.jsonl --fail-on-regression 5%
  gpusort compare gpus.jsonl gpus.jsonl --devices cuda:0,cuda:all`,
		Args: exactly(2),
		RunE: func(c *cobra.Command, args []string) error {
			if len(devices) != 0 && len(devices) != 2 {
				return usagef(c, "--devices takes the device of OLD and that of NEW: cuda:0,cuda:all")
			}
			old, err := result.ReadFile(args[0])
			if err != nil {
				return err
			}
			new, err := result.ReadFile(args[1])
			if err != nil {
				return err
			}
			if len(devices) == 2 {
				if old, err = onDevice(args[0], old, devices[0]); err != nil {
					return err
				}
				if new, err = onDevice(args[1], new, devices[1]); err != nil {
					return err
				}
			}
			rep := compare.Compare(old, new, float64(tolerance))
			if err := writeReport(a, c, as, rep); err != nil {
				return err
			}
			if fail < 0 {
				return nil
			}
			if len(rep.Rows) == 0 {
				return fmt.Errorf("no cell of %s is in %s: nothing was compared", args[0], args[1])
			}
			if bad := rep.Regressions(float64(fail)); len(bad) > 0 {
				fmt.Fprintf(a.err, "gpusort: %d cell(s) regressed, such as %s\n", len(bad), bad[0].Case)
				return negative{}
			}
			return nil
		},
	}
	c.Flags().Var(&tolerance, "tolerance", "margin in percent within which the interval must lie to be SAME")
	c.Flags().Var(&fail, "fail-on-regression", "exit with 1 if a cell is SLOW by more than so many percent, or BROKEN")
	c.Flags().StringSliceVar(&devices, "devices", nil, "`OLD,NEW`: only cells of that device of OLD, and of this one of NEW")
	c.Flags().StringVar(&as, "format", as, "text, md or json")
	choices(c, "format", []string{"text", "md", "json"})
	return c
}

// onDevice are a file's records of a device.
func onDevice(file string, all []result.Record, device string) (on []result.Record, err error) {
	var known []string
	for _, r := range all {
		if r.DeviceID == device {
			on = append(on, r)
		} else if !slices.Contains(known, r.DeviceID) {
			known = append(known, r.DeviceID)
		}
	}
	if len(on) == 0 {
		return nil, fmt.Errorf("%s has no cell of device %s, but of %s", file, device, strings.Join(known, ", "))
	}
	return on, nil
}

func writeReport(a *app, c *cobra.Command, as string, rep compare.Report) error {
	switch as {
	case "text":
		a.printComparison(rep)
		return nil
	case "md":
		return compare.WriteMarkdown(a.out, rep)
	case "json":
		return compare.WriteJSON(a.out, rep)
	}
	return usagef(c, "%v", errChoice(as, "text", "md", "json"))
}

// printComparison shows a report on a terminal.
func (a *app) printComparison(rep compare.Report) {
	rows := rep.Table()
	a.printTable(rows, 2, len(rows[0])-1) // between the case and the verdict
	fmt.Fprintf(a.out, "\n%s\n", strings.Join(rep.Summary(), "\n"))
}
