package run

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows a run's status until it is stopped: on a terminal one line that is drawn anew every
// half second, elsewhere a plain line every interval. Messages go between the lines.
type progress struct {
	mutex    sync.Mutex
	out      io.Writer
	logs     io.Writer // gets plain lines too, nil for none
	terminal bool
	drawn    bool
	away     bool     // the terminal shows something else
	held     []string // messages for the terminal until it is back
	dropped  int      // messages beyond heldMost
	stop     chan struct{}
	done     sync.WaitGroup
}

const (
	logTime     = "2006-01-02T15:04:05.000Z"
	redrawEvery = 500 * time.Millisecond
	clearLine   = "\r\x1b[K"
	heldMost    = 1000
)

// newProgress starts showing line(); an interval of 0 shows no plain lines. out is io.Discard for a
// quiet run.
func newProgress(out, logs io.Writer, terminal bool, interval time.Duration, line func() string) *progress {
	p := &progress{out: out, logs: logs, terminal: terminal, stop: make(chan struct{})}
	if terminal {
		p.every(redrawEvery, func() { p.draw(line()) })
	}
	if interval > 0 {
		p.every(interval, func() { p.plain(line()) })
	}
	return p
}

func (p *progress) every(interval time.Duration, do func()) {
	p.done.Add(1)
	go func() {
		defer p.done.Done()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				do()
			case <-p.stop:
				return
			}
		}
	}()
}

func (p *progress) draw(line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.away {
		return
	}
	_, _ = fmt.Fprint(p.out, clearLine, fit(line, terminalWidth()))
	p.drawn = true
}

// fit cuts a line that would wrap: what wraps cannot be drawn over.
func fit(line string, width int) string {
	if letters := []rune(line); width > 1 && len(letters) >= width {
		return string(letters[:width-2]) + "…"
	}
	return line
}

// terminalWidth is the width of the terminal in columns, 0 when it is not known.
func terminalWidth() int {
	width, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// plain writes a line to the log file, and to the output where that is no terminal.
func (p *progress) plain(line string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.terminal {
		_, _ = fmt.Fprintln(p.out, line)
	}
	p.keep(line)
}

// Say writes a message that stays.
func (p *progress) Say(format string, arguments ...any) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.erase()
	message := fmt.Sprintf(format, arguments...)
	p.keep(message)
	switch {
	case !p.away:
		_, _ = fmt.Fprintln(p.out, message)
	case len(p.held) < heldMost:
		p.held = append(p.held, message)
	default:
		p.dropped++
	}
}

// Leave gives the terminal to something else: no line is drawn, and messages wait, until Return.
func (p *progress) Leave() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.erase()
	p.away = true
}

// Return takes the terminal back and writes the messages that came meanwhile.
func (p *progress) Return() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.away = false
	for _, message := range p.held {
		_, _ = fmt.Fprintln(p.out, message)
	}
	if p.dropped > 0 {
		_, _ = fmt.Fprintf(p.out, "%d further messages are in logs/%s\n", p.dropped, linesName)
	}
	p.held, p.dropped = nil, 0
}

func (p *progress) keep(line string) {
	if p.logs != nil {
		_, _ = fmt.Fprintln(p.logs, time.Now().UTC().Format(logTime), line)
	}
}

func (p *progress) erase() {
	if p.drawn {
		_, _ = fmt.Fprint(p.out, clearLine)
		p.drawn = false
	}
}

// Stop ends the progress and leaves the cursor at the beginning of an empty line.
func (p *progress) Stop() {
	close(p.stop)
	p.done.Wait()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.erase()
}
