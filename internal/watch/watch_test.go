package watch

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"

	tea "charm.land/bubbletea/v2"
)

var update = flag.Bool("update", false, "write the golden files anew")

// memory is a log in memory of which only so many rows are there yet.
type memory struct {
	*logtest.Log
	rows int
}

func (m *memory) LastSeq() (eventlog.Seq, error) { return eventlog.Seq(m.rows), nil }

func (m *memory) Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for event, err := range m.Cut(m.rows).Events(filter) {
			if event.Seq < filter.From || filter.To != 0 && event.Seq > filter.To {
				continue
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

func caught(t *testing.T, log *logtest.Log, rows int) *Follower {
	t.Helper()
	f := Follow(&memory{log, rows})
	if err := f.Catch(); err != nil {
		t.Fatal(err)
	}
	return f
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", path, got)
	}
}

// The view of a finished log, and of one in the middle of the run, whose clock goes on.
func TestGoldenViews(t *testing.T) {
	log := logtest.Mixed()
	whole := caught(t, log, log.Len())
	golden(t, "finished.txt", strings.Join(whole.View(whole.Now(0), Screen{Width: 150}), "\n")+"\n")
	rows := rowOf(log, eventlog.KindDispatch, 7)
	middle := caught(t, log, rows)
	now := middle.Now(logtest.WallNs + 7_000*int64(time.Millisecond))
	golden(t, "running.txt", strings.Join(middle.View(now, Screen{Width: 150}), "\n")+"\n"+middle.Line(now)+"\n")
}

// rowOf is the number of the n-th row of a kind.
func rowOf(log *logtest.Log, kind eventlog.Kind, n int) int {
	for _, event := range log.Rows() {
		if event.Kind == kind {
			if n--; n == 0 {
				return int(event.Seq)
			}
		}
	}
	return log.Len()
}

// Looking often while a log grows shows the same as looking once when it is whole.
func TestLookingOftenIsLookingOnce(t *testing.T) {
	log := logtest.Mixed()
	source := &memory{log, 0}
	often := Follow(source)
	for source.rows < log.Len() {
		source.rows = min(source.rows+3, log.Len())
		if err := often.Catch(); err != nil {
			t.Fatal(err)
		}
		if shown := often.View(often.Now(0), Screen{Width: 100, Height: 24}); len(shown) == 0 {
			t.Fatal("an empty view")
		}
	}
	once := caught(t, log, log.Len())
	screen := Screen{Width: 200}
	if a, b := often.View(often.lastNs, screen), once.View(once.lastNs, screen); !slices.Equal(a, b) {
		t.Errorf("often:\n%s\nonce:\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// A log that a writer is adding to is watched while it grows, and the watcher ends with the run.
func TestPlainFollowsALiveLog(t *testing.T) {
	log := logtest.Mixed()
	path := filepath.Join(t.TempDir(), "run.db")
	writer, err := eventlog.Create(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := log.Rows()
	add := func(rows []eventlog.Event) {
		for _, event := range rows {
			if _, err := writer.AddWaiting(event); err != nil {
				t.Error(err)
			}
		}
		if err := writer.Sync(); err != nil {
			t.Error(err)
		}
	}
	add(rows[:20])
	reader, err := eventlog.OpenUnverified(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var out bytes.Buffer
	done := make(chan error)
	go func() {
		done <- Plain(context.Background(), &out, reader, Options{Interval: time.Millisecond})
	}()
	add(rows[20:])
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "over: done, exit code 0") || !strings.Contains(last, "sent=10 ") {
		t.Errorf("the last line is %q", last)
	}
}

// Case 43 of the known faults: text from recordings and servers does not act on the terminal.
func TestHostileNamesStayText(t *testing.T) {
	hostile := "t\x1b]0;owned\x07\x1b[2J</script>\u202e\r\n"
	f := Follow(&memory{logtest.New(), 0})
	log := logtest.New()
	config := logtest.Config(hostile, nil)
	config.Models = []string{hostile}
	log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), config)
	log.Row(eventlog.KindNotice, 0, logtest.Nowhere(), eventlog.Notice{Level: "warning", Code: "x", Text: hostile})
	log.Row(eventlog.KindPhaseStart, 0, logtest.Nowhere(), map[string]any{"phase": "profiling", "lanes": 1, "duration_ns": 1e9})
	log.Row(eventlog.KindTreeOpen, 0, logtest.At{Lane: 0, Play: 0, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"trace": hostile, "kind": "full"})
	log.Send(logtest.Request{Phase: "profiling", At: logtest.At{Exchange: 1}, Sent: 1, End: 5, Status: 500, Outcome: eventlog.OutcomeError, Class: "http", ErrType: hostile, Error: hostile})
	log.Scrape(6e6, "http://"+hostile, "x 1\n")
	log.Row(eventlog.KindRunEnd, 7e6, logtest.Nowhere(), eventlog.RunEnd{Reason: hostile, Text: hostile})
	for event := range log.Events(eventlog.Filter{}) {
		if err := f.Apply(&event); err != nil {
			t.Fatal(err)
		}
	}
	shown := append(f.View(8e6, Screen{Width: 400}), f.Line(8e6))
	seen := 0
	for _, line := range shown {
		if i := strings.IndexFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\u202e' }); i >= 0 {
			t.Errorf("line %q acts on the terminal", line)
		}
		seen += strings.Count(line, "‹U+001B›")
	}
	if seen < 10 {
		t.Errorf("the text is shown %d times only:\n%s", seen, strings.Join(shown, "\n"))
	}
	for _, line := range f.View(8e6, Screen{Width: 60, Height: 12, Marks: true}) {
		if plain := strings.ReplaceAll(strings.ReplaceAll(line, markOn, ""), markOff, ""); len([]rune(plain)) > 60 || strings.Contains(plain, "\x1b") {
			t.Errorf("line %q does not fit", line)
		}
	}
}

// Percentiles are linear between the nearest ranks: exact while values are kept, within 1 % beyond.
func TestHistogramPercentilesAgainstSortedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n, tolerance := range map[int]float64{1: 0, 2: 0, 440: 0, keptValues: 0, keptValues + 1: 0.01, 2 * keptValues: 0.01} {
		var h histogram
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Exp(3 * random.NormFloat64())
			h.add(values[i])
		}
		slices.Sort(values)
		for _, rank := range []float64{1, 10, 50, 90, 99, 100} {
			position := rank / 100 * float64(n-1)
			low := int(position)
			want := values[low] + (position-float64(low))*(values[min(low+1, n-1)]-values[low])
			if got, ok := h.percentile(rank); !ok || math.Abs(got/want-1) > tolerance+1e-12 {
				t.Errorf("p%g of %d is %g, by sorting %g", rank, n, got, want)
			}
		}
	}
	if _, ok := (&histogram{}).percentile(50); ok {
		t.Error("a percentile of nothing")
	}
}

// What the view says of a finished run is what measure says of it.
func TestAFinishedRunsFiguresAreMeasures(t *testing.T) {
	log := logtest.Mixed()
	a, err := measure.Analyze(log, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &caught(t, log, log.Len()).phase
	for tag, of := range map[string]*histogram{"time_to_first_token": &p.ttft, "inter_token_latency": &p.perToken, "request_latency": &p.latency} {
		result, ok := a.Own.Get(tag)
		if !ok || result.Stats.Count != of.count {
			t.Fatalf("%s: %d values, measure has %d", tag, of.count, result.Stats.Count)
		}
		for _, rank := range []float64{50, 90, 99} {
			if got, _ := of.percentile(rank); math.Abs(got-result.Stats.Percentile(rank)) > 1e-9 {
				t.Errorf("%s p%g is %g, measure says %g", tag, rank, got, result.Stats.Percentile(rank))
			}
		}
	}
	for tag, parts := range map[string][2]int64{
		"overall_usage_prompt_cache_read_pct": {p.cached, p.prompt}, "reuse_captured_pct": {p.cached, p.reach},
	} {
		want, ok := a.Own.Average(tag)
		if got := 100 * float64(parts[0]) / float64(parts[1]); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %g, measure says %g", tag, got, want)
		}
	}
}

// What was reachable is a share of planned tokens without the marker's, however a server counts.
func TestReachableIsAShareOfPlannedTokens(t *testing.T) {
	prompt, cached, last := int64(2000), int64(100), int64(2)
	var p phase
	p.answer(&eventlog.ExchangeEnd{PromptTokens: 1018, MarkerTokens: 18, ReachTokens: 500, LastTokenNs: &last, Usage: &eventlog.Usage{Prompt: &prompt, CacheRead: &cached}})
	s := New()
	s.phase = p
	if line := s.cache()[0]; line != "cache     reported 5.0 % of prompt tokens, reachable 50.0 %, captured 20.0 %" {
		t.Error(line)
	}
}

// Recent rates are those of a list of everything, over the whole seconds before now.
func TestRecentRatesAgainstAList(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var r recent
		var times []int64
		start := random.Int64N(5e9)
		at := start
		for range random.IntN(60) {
			at += random.Int64N(4e9)
			times = append(times, at)
			r.at(at).requests++
		}
		now := at + random.Int64N(40e9)
		got, seconds := r.rates(now, start)
		from, to := max(now/1e9-recentSeconds, (start+999_999_999)/1e9), now/1e9
		count := 0.0
		for _, at := range times {
			if at/1e9 >= from && at/1e9 < to {
				count++
			}
		}
		want := 0.0
		if to > from {
			want = count / float64(to-from)
		}
		if math.Abs(got.requests-want) > 1e-12 || seconds != float64(max(to-from, 0)) {
			t.Fatalf("%g over %g s, expected %g over %d s", got.requests, seconds, want, to-from)
		}
	}
}

// abandoned is a log that nobody writes.
type abandoned struct{ Source }

func (abandoned) Writing() bool { return false }

// A run whose process is gone is over, and said to be interrupted: it is not waited for.
func TestARunThatDiedIsToldFromALiveOne(t *testing.T) {
	log := logtest.Mixed()
	f := caught(t, log, rowOf(log, eventlog.KindDispatch, 7))
	if f.Ended() {
		t.Error("a live run is called over")
	}
	f.source = abandoned{f.source}
	if err := f.Catch(); err != nil {
		t.Fatal(err)
	}
	if !f.Ended() || f.Now(1<<62) != f.lastNs {
		t.Error("a run that died is waited for")
	}
	view := strings.Join(f.View(f.lastNs, Screen{Width: 120}), "\n")
	if !strings.Contains(view, "profiling interrupted after") || !strings.Contains(view, "in flight at the end of the log: 1") {
		t.Errorf("the view:\n%s", view)
	}
	if line := f.Line(f.lastNs); !strings.Contains(line, "interrupted: the log has no closing event") {
		t.Errorf("the line: %s", line)
	}
}

// What must not be overlooked is said at the top: a client under high load, and a log that stands still.
func TestWarnings(t *testing.T) {
	if lateLimitNs != measure.ClientLateNs || busyShare != measure.ClientBusyShare {
		t.Error("the limits of the view are not those of the result")
	}
	log := logtest.Mixed()
	f := caught(t, log, rowOf(log, eventlog.KindDispatch, 7))
	standing := strings.Join(f.View(f.lastNs+60e9, Screen{Width: 120}), "\n")
	if !strings.Contains(standing, "no event for 1m0s, but its process is there") {
		t.Errorf("a log that stands still:\n%s", standing)
	}
	if quiet := f.View(f.lastNs+10e9, Screen{Width: 120}); strings.Contains(strings.Join(quiet, "\n"), "no event for") || strings.Contains(quiet[2], "HIGH LOAD") {
		t.Errorf("ten quiet seconds:\n%s", strings.Join(quiet, "\n"))
	}
	for name, sample := range map[string]eventlog.ClientSample{
		"CPU 86 %": {CPUShare: 0.86}, "its machine 100 %": {MachineShare: 1}, "lateness p99 60.0 ms": {LateP99Ns: 60e6}, "read delay p99 70.0 ms": {ReadDelayP99Ns: 70e6},
	} {
		event, err := eventlog.NewPayload(eventlog.KindClientSample, f.lastNs, sample)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Apply(&event); err != nil {
			t.Fatal(err)
		}
		lines := f.View(f.lastNs, Screen{Width: 160, Marks: true})
		if !strings.Contains(lines[2], "HIGH LOAD of the client: "+name) || !strings.HasPrefix(lines[2], markOn) || !strings.Contains(f.Line(f.lastNs), "HIGH LOAD "+name) {
			t.Errorf("%s: %q", name, lines[2])
		}
	}
}

// The screen never shows more than fits, at any size, and keys move through the lanes.
func TestScreenFits(t *testing.T) {
	log := logtest.Mixed()
	m := &screenModel{follower: Follow(&memory{log, log.Len()}), screen: Screen{Width: 80, Height: 24}}
	m.Update(m.read()())
	for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 8}, {Width: 200, Height: 50}, {Width: 1, Height: 1}} {
		m.Update(size)
		for range 5 {
			m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
		}
		lines := strings.Split(m.View().Content, "\n")
		if len(lines) > max(size.Height, 2) && size.Height > 1 {
			t.Errorf("%d lines on a screen of %d", len(lines), size.Height)
		}
		for _, line := range m.lines {
			if n := len([]rune(line)); n > size.Width && size.Width > 1 {
				t.Errorf("a line of %d on a screen of %d", n, size.Width)
			}
		}
	}
	if m.screen.Lane != 1 {
		t.Errorf("lane %d of two after 15 keys", m.screen.Lane)
	}
	if _, command := m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); command == nil {
		t.Error("q does not quit")
	}
	m.close()
	if message := m.read()(); message != nil {
		t.Error("a closed view reads the log")
	}
}

// The last line says that a run goes on only of one that does.
func TestTheLastLineOfARunThatIsOver(t *testing.T) {
	log := logtest.Mixed()
	foot := func(source Source) string {
		m := &screenModel{follower: Follow(source), screen: Screen{Width: 80, Height: 24}}
		m.Update(m.read()())
		lines := strings.Split(m.View().Content, "\n")
		return lines[len(lines)-1]
	}
	live := &memory{log, rowOf(log, eventlog.KindDispatch, 7)}
	for name, over := range map[string]Source{"ended": &memory{log, log.Len()}, "killed": abandoned{live}} {
		if line := foot(over); strings.Contains(line, "goes on") || !strings.Contains(line, "q quits") {
			t.Errorf("%s: %q", name, line)
		}
	}
	if line := foot(live); !strings.Contains(line, "the run goes on") {
		t.Errorf("a live run: %q", line)
	}
}

// Ctrl+C closes a view that stands alone; inside a run it asks the run to end, and the view stays.
func TestCtrlCStopsTheRunAroundTheView(t *testing.T) {
	log := logtest.Mixed()
	press := func(keys Keys) tea.Msg {
		m := &screenModel{follower: Follow(&memory{log, log.Len()}), keys: keys, screen: Screen{Width: 80, Height: 24}}
		_, command := m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		if command == nil {
			t.Fatal("Ctrl+C does nothing")
		}
		return command()
	}
	if _, quits := press(Keys{}).(tea.QuitMsg); !quits {
		t.Error("Ctrl+C does not close a view that stands alone")
	}
	stopped := 0
	if message := press(Keys{Stop: func() error { stopped++; return nil }}); message != nil || stopped != 1 {
		t.Errorf("message %v, asked to stop %d times, expected no message and once", message, stopped)
	}
	if failed, isLook := press(Keys{Stop: func() error { return errors.New("no signals here") }}).(looked); !isLook || failed.err == nil {
		t.Error("a run that cannot be asked is not told of")
	}
}
