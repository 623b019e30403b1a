package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// screenshots is where pictures of the pages are left.
const screenshots = "../.build/browser"

// session is one page in one browser, with everything it complained about and asked for.
type session struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// chromium is the browser's program; the test is skipped where there is none.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed: the pages are not tested in a browser")
	return ""
}

// start begins a browser with the network off.
func start(t *testing.T) *session {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1600, 1000), chromedp.UserDataDir(t.TempDir()))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocated)
	s := &session{t: t, ctx: ctx}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("closing the browser: %v", err)
		}
		cancel()
	})
	if err := chromedp.Listen(ctx, s.listen); err != nil {
		t.Fatal(err)
	}
	offline := network.OverrideNetworkStateParams{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}
	s.call(func(ctx context.Context) error {
		_, networkErr := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		_, logErr := chromedp.Call(ctx, cdplog.Enable, cdp.Empty{})
		_, offlineErr := chromedp.Call(ctx, network.OverrideNetworkState, offline)
		return errors.Join(networkErr, logErr, offlineErr)
	})
	return s
}

// patience bounds one action, so that a page that hangs fails its test and not the whole run.
const patience = 60 * time.Second

func (s *session) call(act func(ctx context.Context) error) {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.ctx, patience)
	defer done()
	if err := act(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// listen notes what must not happen.
func (s *session) listen(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		s.requests = append(s.requests, event.Request.URL)
	case *runtime.EventExceptionThrown:
		s.complaints = append(s.complaints, fmt.Sprintf("exception: %s %v", event.ExceptionDetails.Text, event.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			s.complaints = append(s.complaints, fmt.Sprintf("console %s: %s", event.Type, event.Args[0].Value))
		}
	case *cdplog.EventEntryAdded:
		if event.Entry.Level == cdplog.EntryLevelError || event.Entry.Level == cdplog.EntryLevelWarning {
			s.complaints = append(s.complaints, event.Entry.Text)
		}
	}
}

func (s *session) do(actions ...chromedp.Action[chromedp.Void]) {
	s.t.Helper()
	s.call(func(ctx context.Context) error { return chromedp.Do(ctx, actions...) })
}

// evaluate gives the value of an expression.
func evaluate[T any](s *session, expression string, options ...chromedp.EvaluateOption) (value T) {
	s.t.Helper()
	s.call(func(ctx context.Context) (err error) {
		value, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression, options...))
		return err
	})
	return value
}

// open loads a page from a file and waits until its script has run.
func (s *session) open(path, hash string) {
	s.t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		s.t.Fatal(err)
	}
	s.do(chromedp.Navigate("about:blank"), chromedp.Navigate("file://"+absolute+hash), chromedp.Sleep(300*time.Millisecond))
}

// text evaluates an expression and gives its value as a string.
func (s *session) text(expression string) string {
	s.t.Helper()
	return evaluate[string](s, "String("+expression+")")
}

// want checks the value of an expression.
func (s *session) want(expression, want string) {
	s.t.Helper()
	if got, ok := s.becomes(expression, func(got string) bool { return got == want }); !ok {
		s.t.Errorf("%s is %q, expected %q", expression, got, want)
	}
}

// wantPart checks that an expression's value has a part.
func (s *session) wantPart(expression, part string) {
	s.t.Helper()
	if got, ok := s.becomes(expression, func(got string) bool { return strings.Contains(got, part) }); !ok {
		s.t.Errorf("%s is %q, expected it to hold %q", expression, got, part)
	}
}

// becomes looks at an expression until its value is right, for as long as a busy machine may need to show it.
func (s *session) becomes(expression string, right func(string) bool) (got string, ok bool) {
	s.t.Helper()
	for range 20 {
		if got = s.text(expression); right(got) {
			return got, true
		}
		s.do(chromedp.Sleep(250 * time.Millisecond))
	}
	return got, false
}

// settle gives the page the time of its own delays: debounced input and one frame.
func (s *session) settle() {
	s.t.Helper()
	s.do(chromedp.Sleep(350 * time.Millisecond))
}

// shot leaves a picture of the page.
func (s *session) shot(name string) {
	s.t.Helper()
	var picture []byte
	s.call(func(ctx context.Context) (err error) {
		picture, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
		return err
	})
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(screenshots, name+".png"), picture, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// quiet checks that the page logged no error and asked for nothing but itself.
func (s *session) quiet() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, complaint := range s.complaints {
		s.t.Errorf("the page complained: %s", complaint)
	}
	for _, url := range s.requests {
		if !strings.HasPrefix(url, "file://") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:") && url != "about:blank" {
			s.t.Errorf("the page asked for %s", url)
		}
	}
}

// choose gives an input or a selection a value, as a user does.
func (s *session) choose(id, value string) {
	s.t.Helper()
	s.run(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("input")); })()`, id, value))
	s.settle()
}

// run evaluates an expression for its effect.
func (s *session) run(expression string) {
	s.t.Helper()
	s.do(chromedp.Evaluate[chromedp.Void](expression))
}
