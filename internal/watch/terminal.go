package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Keys say what the keys of the view do beyond it.
type Keys struct {
	// Stop is what Ctrl+C does where the view stands inside a run: it asks the run to end, and the view
	// stays. Without it Ctrl+C closes the view.
	Stop func() error
}

// Terminal draws the view anew until q, Esc or Ctrl+C is pressed or the context is over. Closing the view
// ends nothing else. Without in no key is read.
func Terminal(ctx context.Context, in io.Reader, out io.Writer, source Source, keys Keys) error {
	model := &screenModel{follower: Follow(source), keys: keys, screen: Screen{Width: 80, Height: 24, Marks: true}}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)}
	if keys.Stop != nil {
		options = append(options, tea.WithoutSignalHandler()) // signals are the run's
	}
	_, err := tea.NewProgram(model, options...).Run()
	model.close() // the log may be closed after this
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, model.failure)
}

// screenModel is the view as Bubble Tea wants it: its methods are called by one goroutine, and the log is
// read by a command in another.
type screenModel struct {
	screen  Screen
	lines   []string // of the last look
	ended   bool     // at the last look
	failure error
	keys    Keys

	mu       sync.Mutex // of the log and its state
	follower *Follower
	closed   bool
}

// close waits until nobody reads the log, and keeps it so.
func (m *screenModel) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

// looked says that the log was read.
type looked struct{ err error }

// look is the time to read the log again.
type look struct{}

// Init implements tea.Model.
func (m *screenModel) Init() tea.Cmd { return m.read() }

// read reads what was added to the log.
func (m *screenModel) read() tea.Cmd {
	return func() tea.Msg {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.closed {
			return nil
		}
		return looked{m.follower.Catch()}
	}
}

// Update implements tea.Model.
func (m *screenModel) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case looked:
		if m.failure = message.err; m.failure != nil {
			return m, tea.Quit
		}
		if m.draw(); m.ended {
			return m, nil // nothing more will come
		}
		return m, tea.Tick(lookEvery, func(time.Time) tea.Msg { return look{} })
	case look:
		return m, m.read()
	case tea.WindowSizeMsg:
		m.screen.Width, m.screen.Height = message.Width, message.Height
		m.redraw()
		return m, nil
	case tea.KeyPressMsg:
		return m, m.key(message.String())
	}
	return m, nil
}

func (m *screenModel) key(name string) tea.Cmd {
	page := max(m.screen.Height/2, 1)
	switch name {
	case "q", "esc":
		return tea.Quit
	case "ctrl+c":
		if m.keys.Stop == nil {
			return tea.Quit
		}
		return func() tea.Msg {
			if err := m.keys.Stop(); err != nil {
				return looked{fmt.Errorf("asking the run to stop: %w", err)}
			}
			return nil
		}
	case "down", "j":
		m.screen.Lane++
	case "up", "k":
		m.screen.Lane--
	case "pgdown", "space":
		m.screen.Lane += page
	case "pgup":
		m.screen.Lane -= page
	case "home":
		m.screen.Lane = 0
	default:
		return nil
	}
	m.screen.Lane = max(m.screen.Lane, 0)
	m.redraw()
	return nil
}

// redraw draws what is known, once the log was read.
func (m *screenModel) redraw() {
	if m.lines != nil {
		m.draw()
	}
}

// draw makes the lines and sees whether the run is over.
func (m *screenModel) draw() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.screen.Lane = max(min(m.screen.Lane, len(m.follower.lanes)-1), 0)
	m.lines = m.follower.View(m.follower.Now(time.Now().UnixNano()), m.screen)
	m.ended = m.follower.Ended()
}

// View implements tea.Model.
func (m *screenModel) View() tea.View {
	lines := m.lines
	if lines == nil {
		lines = []string{"reading the log …"}
	}
	if limit := m.screen.Height - 1; limit > 0 && len(lines) > limit {
		lines = lines[:limit]
	}
	foot := "q quits, arrow keys move through the lanes"
	switch {
	case m.ended: // the run neither goes on nor can be stopped
	case m.keys.Stop != nil:
		foot = "q leaves this view and the run goes on, Ctrl+C stops the run, arrow keys move through the lanes"
	default:
		foot += "; the run goes on"
	}
	view := tea.NewView(strings.Join(lines, "\n") + "\n" + foot)
	view.AltScreen = true
	return view
}
