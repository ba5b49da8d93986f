package cli

import (
	"bytes"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	labreport "github.com/gpusort/gpusort/cmd/lab/report"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// TestThePagesOwnCommands runs what an empty page says to run, with few and small
// samples, and makes a page of what they wrote: no section is empty then.
func TestThePagesOwnCommands(t *testing.T) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "a dozen commands on OpenCL take ten seconds; TestDemoOnPoCL runs a demonstration, single runs and an experiment")
	}
	drivertest.Devices(t, opencl.New())
	sh, err := exec.LookPath("sh")
	if err != nil {
		absent.Skip(t, "sh", "no shell")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "gpusort")); err != nil {
		absent.Skip(t, "symlinks", "%v", err)
	}
	r := result.Record{Cell: result.Cell{Algo: "cpu", Backend: "cpu", DeviceID: "cpu", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: 16}, Status: result.OK, WallNS: []int64{5}}
	r.Finish()
	var page bytes.Buffer
	if err := labreport.Write(&page, labreport.Input{Records: []result.Record{r}}, ""); err != nil {
		t.Fatal(err)
	}
	_, more, _ := strings.Cut(page.String(), `<section id="more">`)
	more, _, _ = strings.Cut(more, "</section>")
	commands := regexp.MustCompile(`<pre class="copy"><code>(.*?)</code>`).FindAllStringSubmatch(more, -1)
	if len(commands) != 11 {
		t.Errorf("%d commands on the page: %v", len(commands), commands)
	}
	files := []string{"report"}
	for _, c := range commands {
		line := html.UnescapeString(c[1])
		words := strings.Fields(line)
		file := words[len(words)-1]
		files = append(files, file)
		before, redirect, _ := strings.Cut(line, " > ")
		short := before
		switch words[1] {
		case "bench":
			short += " --warm-up 0 --min-samples 1 --max-samples 1 -a 'Elements=2000'"
			if strings.HasSuffix(line, "sizes.jsonl") {
				short = strings.Replace(short, "=2000'", "=[1000,2000]'", 1)
			}
		case "profile":
			short += " --runs 1 --no-counters"
			if !strings.Contains(line, "--record") {
				short += " -a 'Elements=2000'"
			}
		}
		if redirect != "" {
			short += " > " + redirect
		}
		cmd := exec.Command(sh, "-c", short)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), asCommand+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", short, err, out)
		}
	}
	cmd := exec.Command(self, append(files, "-o", "all.html")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asCommand+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made, err := os.ReadFile(filepath.Join(dir, "all.html"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(made, []byte(`<section id="more">`)) {
		t.Error("after all commands a section is still empty")
	}
}

// TestDemoOnPoCL: the demonstration and single runs work on an OpenCL processor.
func TestDemoOnPoCL(t *testing.T) {
	drivertest.Devices(t, opencl.New())
	for _, args := range [][]string{
		{"demo", "--n", "100k", "--device", "opencl:0"},
		{"run", "radix-lsd", "--device", "opencl:0", "--size", "5000", "--runs", "2"},
		{"run", "counting", "--device", "opencl:0", "--size", "5000", "--max-value", "255", "--input", "same"},
		{"bench", filepath.Join("..", "..", "..", "experiments", "demo.toml"), "--dry-run"},
	} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self, args...)
		cmd.Env = append(os.Environ(), asCommand+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		if !bytes.Contains(out, []byte("opencl:0")) {
			t.Errorf("%v says nothing of opencl:0:\n%s", args, out)
		}
	}
}
