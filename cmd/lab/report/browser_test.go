package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// tab is a page in headless Chromium. Its methods end the test on an error.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// browser starts headless Chromium, or skips, loudly, where there is none.
// GPUSORT_REQUIRE=chromium turns the skip into a failure.
func browser(t *testing.T) tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		absent.Skip(t, "chromium", "it is not on the PATH (Debian: apt-get install chromium)")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return tab{t, ctx}
}

func (b tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval runs JavaScript in the page.
func eval[T any](b tab, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// send sends a command of the protocol.
func send[P, R any](b tab, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatal(err)
	}
}

// click presses and lets go the mouse over an element. A press that misses it,
// because the page moved between the question where it is and the press, is
// made again, as a person would.
func (b tab) click(css string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`window.landed = false; window.hit = "nothing"; addEventListener("pointerdown", e => { hit = (e.target.outerHTML || "the document").slice(0, 80) }, {capture: true, once: true}); document.querySelector(%q).addEventListener("click", () => { landed = true }, {once: true}); true`, css))
	for range 5 {
		b.do(chromedp.Click(chromedp.CSS(css)))
		if eval[bool](b, "landed") {
			return
		}
		b.t.Logf("a click meant for %s hit %s", css, eval[string](b, "hit"))
	}
	b.t.Fatalf("%s cannot be clicked", css)
}

// wait polls until an expression is true. A browser that is slow to draw is
// made to: a page moves with its frames, and a picture of it takes one.
func (b tab) wait(js string) {
	b.t.Helper()
	for i := range 600 {
		if eval[bool](b, js) {
			return
		}
		if i == 60 {
			eval[bool](b, "window.frames60 = 0; (function f() { frames60++; requestAnimationFrame(f) })(); true")
		}
		if i > 60 && i%4 == 0 {
			if _, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot()); err != nil {
				b.t.Fatal(err)
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s never came true; %d frames were drawn meanwhile", js, eval[int](b, "frames60"))
}

// watch collects what a page must not do: complain, or ask the network.
type watch struct {
	mu       sync.Mutex
	bad      []string
	requests []string
}

func (w *watch) listen(b tab) {
	err := chromedp.Listen(b.ctx, func(ev any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			w.bad = append(w.bad, fmt.Sprintf("console %s: %v", ev.Type, ev.Args))
		case *runtime.EventExceptionThrown:
			w.bad = append(w.bad, "exception: "+fmt.Sprint(ev.ExceptionDetails))
		case *log.EventEntryAdded:
			w.bad = append(w.bad, "log: "+ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(ev.Request.URL, "data:") {
				w.requests = append(w.requests, ev.Request.URL)
			}
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	send(b, log.Enable, cdp.Empty{})
	send(b, network.Enable, network.EnableParams{})
}

// writePage puts a page in a file and returns its address.
func writePage(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, in, "A test"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// TestPageInBrowser opens a page with every section filled. With
// GPUSORT_SCREENSHOTS=DIR it leaves pictures there.
func TestPageInBrowser(t *testing.T) {
	b := browser(t)
	var w watch
	w.listen(b)
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.bad) > 0 {
			t.Errorf("the page complains: %s", strings.Join(w.bad, "\n"))
		}
	})
	in := full()
	in.Recordings = append(in.Recordings, bitonicRecording(16, false, false))
	url := writePage(t, in)
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url))
	if !eval[bool](b, `document.documentElement.dataset.ready === "1"`) {
		t.Error("the script did not run to its end")
	}
	if eval[bool](b, `document.getElementById("filter").hidden`) {
		t.Error("the filter stays hidden")
	}
	for _, width := range []int64{360, 390, 703, 1280} {
		b.do(chromedp.EmulateViewport(width, 900))
		if n := eval[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); n > 0 {
			t.Errorf("%d pixels wide, the page is %d pixels too wide", width, n)
		}
		if width > 703 {
			continue
		}
		// Nor does a part of it scroll sideways, folded parts included.
		if bad := eval[string](b, sideways); bad != "" {
			t.Errorf("%d pixels wide, these scroll or stick out: %s", width, bad)
		}
	}
	if n := eval[int](b, `document.querySelectorAll("svg [data-tip]").length`); n < 20 {
		t.Errorf("only %d marks have tips", n)
	}
	for _, id := range sectionIDs {
		if h := eval[float64](b, fmt.Sprintf(`document.getElementById(%q).getBoundingClientRect().height`, id)); h < 40 {
			t.Errorf("section %s is %g pixels high", id, h)
		}
	}
	filterWorks(b)
	animationWorks(b)
	networkWorks(b)
	hoverWorks(b)
	if dir := os.Getenv("GPUSORT_SCREENSHOTS"); dir != "" {
		screenshots(b, url, dir)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.requests {
		if r != url && r != "file://"+os.Getenv("GPUSORT_REPORT") && !strings.HasPrefix(r, url+"#") {
			t.Errorf("the page asks for %s", r)
		}
	}
	if len(w.requests) == 0 {
		t.Error("not even the page itself was asked for: the watch is blind")
	}
}

func filterWorks(b tab) {
	b.t.Helper()
	count := func(css string) int {
		return eval[int](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(x => x.getClientRects().length).length`, css))
	}
	const series = `[data-s="onesweep · cuda:0"]`
	before := count(series)
	b.click(`#filter input[value="onesweep · cuda:0"]`)
	if n := count(series); before == 0 || n != 0 {
		b.t.Errorf("%d marks of a series, %d when it is filtered out", before, n)
	}
	b.click("#all")
	if n := count(series); n != before {
		b.t.Errorf("%d marks of %d came back", n, before)
	}
	b.click(`#filter input[value="u64"]`)
	if u64, u32 := count(`figure[data-key="u64"]`), count(`figure[data-key="u32"]`); u64 != 0 || u32 == 0 {
		b.t.Errorf("%d figures of hidden keys and %d of others are shown", u64, u32)
	}
	b.click("#all")
	eval[bool](b, `document.getElementById("cells").open = true`)
	b.do(chromedp.SendKeys(chromedp.CSS("#find input"), "cpu-radix u64"))
	if n := count("#cells tbody tr"); n != 5 {
		b.t.Errorf("%d rows found, want the 5 sizes of cpu-radix on u64", n)
	}
	eval[bool](b, `document.querySelector("#find input").value = ""; document.getElementById("all").click(); document.getElementById("cells").open = false; true`)
}

func animationWorks(b tab) {
	b.t.Helper()
	said := func() string { return eval[string](b, `document.querySelector(".play output").textContent`) }
	b.click(".play .on")
	b.wait(`document.querySelector(".play").dataset.step === "1"`)
	if s := said(); s != "step 1 of 4: count" {
		b.t.Errorf("after one step it says %q", s)
	}
	b.click(".play .go")
	b.wait(`document.querySelector(".play .go").textContent === "Play" && document.querySelector(".play").dataset.step === "4"`)
	if s := said(); s != "step 4 of 4: move" {
		b.t.Errorf("at its end it says %q", s)
	}
	if !eval[bool](b, `document.querySelector(".play canvas").getContext("2d").getImageData(0, 0, 1140, 260).data.some(x => x)`) {
		b.t.Error("nothing was painted")
	}
}

// networkWorks steps through a bitonic network: what is to come is dimmed.
func networkWorks(b tab) {
	b.t.Helper()
	const later = `document.querySelectorAll(".network .later").length`
	if all, n := eval[int](b, `document.querySelectorAll(".network [data-k]").length`), eval[int](b, later); all < 100 || n != 0 {
		b.t.Errorf("%d marks of the network belong to steps, %d are dimmed at first", all, n)
	}
	const fig = `document.querySelector(".network").closest(".play")`
	eval[bool](b, fig+`.querySelector(".on").click() || true`)
	b.wait(fig + `.dataset.step === "1"`)
	one := eval[int](b, later)
	eval[bool](b, fig+`.querySelector(".on").click() || true`)
	b.wait(fig + `.dataset.step === "2"`)
	if two := eval[int](b, later); one == 0 || two == 0 || two >= one {
		b.t.Errorf("%d marks are dimmed after one step, %d after two", one, two)
	}
}

// hoverWorks points at a mark, again if the page moved in between.
func hoverWorks(b tab) {
	b.t.Helper()
	tip := ""
	for range 5 {
		at := eval[[]float64](b, `(() => { const m = document.querySelector("#throughput svg circle[data-tip]"); m.scrollIntoView({block: "center"}); const r = m.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2] })()`)
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		tip = eval[string](b, `document.getElementById("tip").hidden ? "" : document.getElementById("tip").textContent`)
		if strings.Contains(tip, "Melem/s") {
			return
		}
	}
	b.t.Errorf("the tip says %q", tip)
}

// TestPageWithoutScript opens the page with scripts off.
func TestPageWithoutScript(t *testing.T) {
	b := browser(t)
	send(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.do(chromedp.Navigate(writePage(t, full())))
	text, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS("body")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Verdict", "Roofline", "million items per second", "gpusort bench", "upload"} {
		if !strings.Contains(text, want) {
			t.Errorf("without JavaScript the page lacks %q", want)
		}
	}
	if strings.Contains(text, "Play") {
		t.Error("a button that does nothing is shown")
	}
}

// sideways names elements that are wider than what is seen of them, with all folds
// open.
const sideways = `(() => {
	const folded = [...document.querySelectorAll("details:not([open])")];
	for (const d of folded) d.open = true;
	const bad = [];
	for (const e of document.querySelectorAll("main *, header *, form")) {
		if (e.closest("svg") && e.tagName !== "svg" || e.tagName === "OPTION") continue;
		const r = e.getBoundingClientRect();
		if (r.width === 0) continue;
		if (r.right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX))
			bad.push(e.tagName + "." + (e.className.baseVal ?? e.className) + " " + (e.textContent || "").trim().slice(0, 30) + " to " + Math.round(r.right));
	}
	for (const d of folded) d.open = false;
	return bad.slice(0, 8).join("; ");
})()`

// screenshots leaves pictures of the sections in four sizes and both schemes, and as on
// paper.
func screenshots(b tab, url, dir string) {
	b.t.Helper()
	if other := os.Getenv("GPUSORT_REPORT"); other != "" {
		url = "file://" + other
	}
	shoot := func(name, media, color string, width int64) {
		send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: color}}})
		b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(url))
		for _, id := range append([]string{"report"}, sectionIDs...) {
			if eval[bool](b, fmt.Sprintf("document.getElementById(%q) === null", id)) {
				continue
			}
			part, err := chromedp.Run(b.ctx, chromedp.Screenshot(chromedp.CSS("#"+id)))
			if err != nil {
				b.t.Fatal(err)
			}
			b.save(dir, name+"-"+id+".png", part)
		}
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 768, 1280, 1920} {
			shoot(fmt.Sprintf("%s-%d", scheme, width), "screen", scheme, width)
		}
	}
	shoot("print", "print", "light", 703) // 186 mm at 96 dots an inch
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
	if err != nil {
		b.t.Fatal(err)
	}
	b.save(dir, "print.pdf", pdf)
}

func (b tab) save(dir, name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
		b.t.Fatal(err)
	}
}
