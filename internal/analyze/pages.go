package analyze

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/measure"
	"agentx/internal/prompt"
	"agentx/internal/view/assets"
	"agentx/internal/view/fromrun"
	"agentx/internal/view/messages"
	"agentx/internal/view/swimlane"
	"agentx/sched"
)

// messagesName is the file that turns of the swim-lane page link to.
const messagesName = "turn_messages.html"

// SwimLaneOptions choose the files of a swim-lane.
type SwimLaneOptions struct {
	HTML, PNG, SVG bool   // none: HTML and PNG
	Out            string // file to write instead of <run>/swim_lane.*; one kind only
	Target         int    // the target line; 0: the run's concurrency
}

// SwimLane draws a run and names the files.
func SwimLane(out, notes io.Writer, run string, options SwimLaneOptions) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	analysis, err := measure.Analyze(log, measure.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", log.Path, err)
	}
	about := fromrun.About{Title: filepath.Base(log.Dir), Source: log.Path, Target: options.Target}
	picture, err := fromrun.SwimLane(analysis.Run, log, about)
	if err != nil {
		return err
	}
	for _, kind := range options.kinds() {
		path := options.Out
		if path == "" {
			path = filepath.Join(log.Dir, "swim_lane"+kind)
		}
		if err := drawTo(path, kind, picture); err != nil {
			return err
		}
		fmt.Fprintln(out, path)
	}
	return nil
}

func (o SwimLaneOptions) kinds() []string {
	var kinds []string
	if o.PNG {
		kinds = append(kinds, ".png")
	}
	if o.SVG {
		kinds = append(kinds, ".svg")
	}
	if o.HTML {
		kinds = append(kinds, ".html")
	}
	if len(kinds) == 0 {
		return []string{".png", ".html"}
	}
	return kinds
}

// drawTo writes one picture; a run with many lanes gets further PNG or SVG files with -2, -3 …
func drawTo(path, kind string, picture *swimlane.Run) error {
	if kind == ".html" {
		script, _ := assets.ECharts()
		options := swimlane.HTMLOptions{ECharts: script, Messages: messagesName}
		return writeFile(path, func(w io.Writer) error { return swimlane.HTML(w, []*swimlane.Run{picture}, options) })
	}
	draw := swimlane.PNG
	if kind == ".svg" {
		draw = swimlane.SVG
	}
	layout := swimlane.Lay(picture)
	for i, page := range swimlane.Pages(layout, swimlane.Options{}) {
		target := path
		if i > 0 {
			target = fmt.Sprintf("%s-%d%s", path[:len(path)-len(filepath.Ext(path))], i+1, filepath.Ext(path))
		}
		if err := writeFile(target, func(w io.Writer) error { return draw(w, picture, layout, page) }); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a whole file under a temporary name and renames it.
func writeFile(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	temporary := path + ".writing"
	if err := os.WriteFile(temporary, content.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(temporary)))
	}
	return os.Rename(temporary, path)
}

// MessagesOptions shape the page of turns and messages.
type MessagesOptions struct {
	Bundle string // empty: found by the log
	Out    string // empty: <run>/turn_messages.html
	Limits messages.Limits
}

// Messages writes the page of turns and messages and names it.
func Messages(out, notes io.Writer, run string, options MessagesOptions) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	analysis, err := measure.Analyze(log, measure.Options{NoChunks: true, NoCurves: true})
	if err != nil {
		return fmt.Errorf("%s: %w", log.Path, err)
	}
	input, err := fromrun.Messages(analysis.Run, log, filepath.Base(log.Dir), log.Path)
	if err != nil {
		return err
	}
	opened, err := log.findBundle(options.Bundle, analysis.Config)
	switch {
	case errors.Is(err, errNoBundle):
		input.WithoutTexts = err.Error()
		fmt.Fprintln(notes, "note:", err)
	case err != nil:
		return err
	default:
		defer opened.Close()
		input.Texts = bundleTexts{opened}
	}
	input.Marking = marking{sched.CacheBust(analysis.Settings.Text("cache-bust"))}
	path := options.Out
	if path == "" {
		path = filepath.Join(log.Dir, messagesName)
	}
	if err := writeFile(path, func(w io.Writer) error { return messages.HTML(w, input, options.Limits) }); err != nil {
		return err
	}
	fmt.Fprintln(out, path)
	return nil
}

// bundleTexts gives a page the texts of a bundle.
type bundleTexts struct{ bundle *bundle.Bundle }

func (b bundleTexts) Trace(trace corpus.TraceID) (messages.TraceText, error) {
	index, found := b.bundle.Find(trace)
	if !found {
		return nil, fmt.Errorf("trace %s is not in %s", trace, b.bundle.Path())
	}
	text, err := b.bundle.Text(index)
	if err != nil {
		return nil, err
	}
	return traceTexts{text}, nil
}

type traceTexts struct{ text *bundle.Text }

func (t traceTexts) Text(conversation, turn, message int) (string, bool) {
	return string(t.text.AppendPlain(nil, conversation, turn, message)), true
}

// marking finds the place of the cache-bust marker as the run did.
type marking struct{ target sched.CacheBust }

func (m marking) Place(conversation *corpus.Conversation, turn int) (message int, atEnd bool) {
	var history prompt.History
	history.Advance(conversation, turn)
	place := prompt.PlaceMarker(m.target, history.Messages)
	return place.Message, place.AtEnd
}
