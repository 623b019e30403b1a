// Package progress shows how far work is: bars on a terminal, a plain line every few seconds
// elsewhere, nothing when quiet. It promises that lines and bars do not tear each other apart, and
// that nothing is drawn after Close.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// linePause is the time between two plain lines of one piece of work.
const linePause = 5 * time.Second

// Printer shows the work of one command. Its methods may be used by several goroutines.
type Printer struct {
	out   io.Writer
	quiet bool
	bars  *mpb.Progress // nil when plain
	now   func() time.Time

	mu sync.Mutex // of plain output
}

// New shows work on a stream, usually standard error: with bars where that is a terminal.
func New(out *os.File, quiet bool) *Printer {
	p := &Printer{out: out, quiet: quiet, now: time.Now}
	if !quiet && term.IsTerminal(int(out.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40))
	}
	return p
}

// Plain shows work as lines, whatever out is.
func Plain(out io.Writer, now func() time.Time) *Printer {
	return &Printer{out: out, now: now}
}

// Line prints a line, unless quiet.
func (p *Printer) Line(format string, arguments ...any) {
	if p.quiet {
		return
	}
	line := fmt.Sprintf(format, arguments...) + "\n"
	if p.bars != nil {
		// The bars are redrawn below it.
		_, _ = p.bars.Write([]byte(line))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = io.WriteString(p.out, line) // a closed stream must not stop the work
}

// Close waits until the last bar is drawn.
func (p *Printer) Close() {
	if p.bars != nil {
		p.bars.Wait()
	}
}

// Work is one piece of work of known size. End it.
type Work struct {
	printer *Printer
	name    string
	total   int
	bar     *mpb.Bar

	mu   sync.Mutex
	done int
	last time.Time
}

// Start begins a piece of work of total steps.
func (p *Printer) Start(name string, total int) *Work {
	w := &Work{printer: p, name: name, total: total, last: p.now()}
	if p.bars != nil && total > 0 {
		w.bar = p.bars.AddBar(int64(total),
			mpb.PrependDecorators(decor.Name(name, decor.WC{W: 22, C: decor.DindentRight}), decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)),
			mpb.AppendDecorators(decor.Percentage(decor.WCSyncSpace), decor.Elapsed(decor.ET_STYLE_GO, decor.WCSyncSpace)))
	}
	return w
}

// Step counts one step.
func (w *Work) Step() {
	if w.bar != nil {
		w.bar.Increment()
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done++
	if now := w.printer.now(); now.Sub(w.last) >= linePause && w.done < w.total {
		w.last = now
		w.printer.Line("%s: %d of %d (%d %%)", w.name, w.done, w.total, 100*w.done/w.total)
	}
}

// End ends the work, finished or not: a bar that is not full is removed.
func (w *Work) End() {
	if w.bar == nil {
		return
	}
	if !w.bar.Completed() {
		w.bar.Abort(false)
	}
}
