package analyze

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	HTML, PNG, SVG bool    // none: as Out's ending says, else HTML and PNG
	Out            string  // file to write instead of <run>/swim_lane.*; its ending follows the kind
	Target         int     // the target line; 0: the run's concurrency
	RampSeconds    float64 // where the ramp's end is drawn; 0: the run's
}

// SwimLane draws a run and names the files.
func SwimLane(out, notes io.Writer, run string, options SwimLaneOptions) error {
	return analysed(notes, run, measure.Options{}, func(log *Log, analysis *measure.Analysis) error {
		picture, err := log.picture(analysis, options)
		if err != nil {
			return err
		}
		base := filepath.Join(log.Dir, "swim_lane")
		if options.Out != "" {
			base = strings.TrimSuffix(options.Out, filepath.Ext(options.Out))
		}
		if err := log.linkTexts(picture, base); err != nil {
			return err
		}
		for _, kind := range options.kinds() {
			if err := drawTo(out, base+kind, kind, picture); err != nil {
				return err
			}
		}
		return nil
	})
}

// SwimLanes draws several runs on one axis, as one page, and names it. Without options.Out it goes into the
// folder of the first run.
func SwimLanes(out, notes io.Writer, runs []string, options SwimLaneOptions) error {
	var pictures []*swimlane.Run
	path := options.Out
	for _, run := range runs {
		err := analysed(notes, run, measure.Options{}, func(log *Log, analysis *measure.Analysis) error {
			picture, err := log.picture(analysis, options)
			if path == "" {
				path = filepath.Join(log.Dir, "swim_lane_together.html")
			}
			if err != nil {
				return err
			}
			pictures = append(pictures, picture)
			return log.linkTexts(picture, path)
		})
		if err != nil {
			return err
		}
	}
	script, _ := assets.ECharts()
	err := writeFile(path, func(w io.Writer) error { return swimlane.HTML(w, pictures, swimlane.HTMLOptions{ECharts: script}) })
	if err == nil {
		fmt.Fprintln(out, path)
	}
	return err
}

func (l *Log) picture(analysis *measure.Analysis, options SwimLaneOptions) (*swimlane.Run, error) {
	return fromrun.SwimLane(analysis.Run, l, fromrun.About{
		Title: l.title(analysis), Source: l.Path, Target: options.Target, RampNs: int64(options.RampSeconds * 1e9),
	})
}

// title names a run on its pages: folder, model, concurrency.
func (l *Log) title(analysis *measure.Analysis) string {
	parts := []string{labelOf([]string{l.Path})}
	if models := strings.Join(analysis.Run.Config.Models, ", "); models != "" {
		parts = append(parts, models)
	}
	if lanes, set := analysis.Settings.Float("concurrency"); set {
		parts = append(parts, fmt.Sprintf("concurrency %g", lanes))
	}
	if analysis.Run.Config.Simulated && !slices.Contains(parts, "simulated") { // the name of its model, where none was given
		parts = append(parts, "simulated")
	}
	return strings.Join(parts, " · ")
}

// linkTexts points a picture that is written to a file at the page with the texts of the messages, and says
// how it is made where it is not there.
func (l *Log) linkTexts(picture *swimlane.Run, file string) error {
	page := filepath.Join(l.Dir, messagesName)
	from, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return err
	}
	to, err := filepath.Abs(page)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return err
	}
	link := url.URL{Path: filepath.ToSlash(relative)}
	picture.Texts = link.String() // with ./ before a first part that looks like a scheme
	if _, err := os.Stat(page); err != nil {
		picture.TextsHint = "written by agentx-analyze turn-messages " + l.Dir
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
	switch ending := filepath.Ext(o.Out); {
	case len(kinds) > 0:
		return kinds
	case ending == ".png" || ending == ".svg" || ending == ".html":
		return []string{ending}
	}
	return []string{".png", ".html"}
}

// drawTo writes one picture and names it; a run with many lanes gets further PNG or SVG files with -2, -3 …
func drawTo(out io.Writer, path, kind string, picture *swimlane.Run) error {
	if kind == ".html" {
		script, _ := assets.ECharts()
		options := swimlane.HTMLOptions{ECharts: script}
		return writeTo(out, path, func(w io.Writer) error { return swimlane.HTML(w, []*swimlane.Run{picture}, options) })
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
		if err := writeTo(out, target, func(w io.Writer) error { return draw(w, picture, layout, page) }); err != nil {
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
		if removing := os.Remove(temporary); removing != nil && !errors.Is(removing, os.ErrNotExist) {
			err = errors.Join(err, removing)
		}
		var system *fs.PathError
		if errors.As(err, &system) {
			err = fmt.Errorf("%w; give a folder that is there and can be written (-o)", system.Err)
		}
		return fmt.Errorf("writing %s: %w", path, err)
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
func Messages(out, notes io.Writer, run string, options MessagesOptions) error {
	return analysed(notes, run, measure.Options{NoChunks: true, NoCurves: true}, func(log *Log, analysis *measure.Analysis) error {
		input, err := fromrun.Messages(analysis.Run, log, log.title(analysis), log.Path)
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
		kept, err := log.answers(analysis.Config)
		if err != nil {
			return err
		}
		if kept != nil {
			input.Responses = kept
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
	})
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
