package bytekeys

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// BenchmarkArgsort sorts the lines of the files in GPUSORT_LINES, a colon between them, and
// beside that a copy of the strings by slices.Sort.
func BenchmarkArgsort(b *testing.B) {
	names := os.Getenv("GPUSORT_LINES")
	if names == "" {
		absent.Skip(b, "GPUSORT_LINES", "it names no files of lines to sort")
	}
	for _, name := range bytes.Split([]byte(names), []byte(":")) {
		text, err := os.ReadFile(string(name))
		if err != nil {
			b.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		idx := make([]uint32, len(lines))
		b.Run(filepath.Base(string(name)), func(b *testing.B) {
			for b.Loop() {
				if err := Argsort(never, idx, list{s: lines}, Options{Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(lines))*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
		b.Run(filepath.Base(string(name))+"/slices", func(b *testing.B) {
			s := make([]string, len(lines))
			for b.Loop() {
				b.StopTimer()
				for i, l := range lines {
					s[i] = string(l)
				}
				b.StartTimer()
				slices.Sort(s)
			}
			b.ReportMetric(float64(len(lines))*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}
