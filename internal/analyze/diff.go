package analyze

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentx/internal/compare"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/diffview"
)

// DiffOptions shape a comparison.
type DiffOptions struct {
	compare.Options
	Measure measure.Options
	Format  string   // text, markdown, json or html
	Out     string   // file to write; empty: standard output
	FailIf  []string // thresholds
	SureFor bool     // only thresholds that the whole interval reaches count
	All     bool     // figures without an interval too
}

// diffFormats are the forms in which a comparison is written.
func diffFormats() map[string]func(io.Writer, *diffview.Input) error {
	return map[string]func(io.Writer, *diffview.Input) error{
		"text": diffview.Text, "markdown": diffview.Markdown, "json": diffview.JSON, "html": diffview.HTML,
	}
}

// Diff compares two runs or groups of runs. A group is a comma list of runs, or a folder that holds
// several. The error of a reached threshold carries exit code 3.
func Diff(out, notes io.Writer, a, b string, options DiffOptions) error {
	write, known := diffFormats()[options.Format]
	if !known {
		return exit.With(exit.Usage, fmt.Errorf("diff: --format %q: expected text, markdown, json or html", options.Format))
	}
	var thresholds []compare.Threshold
	for _, text := range options.FailIf {
		threshold, err := compare.ParseThreshold(text)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		thresholds = append(thresholds, threshold)
	}
	var sides [2]compare.Side
	for i, group := range []string{a, b} {
		side, err := loadSide(group, notes, options.Measure)
		if err != nil {
			return err
		}
		sides[i] = side
	}
	comparison, err := compare.Runs(sides[0], sides[1], options.Options)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	in := &diffview.Input{Comparison: comparison, All: options.All}
	var reached []string
	for _, threshold := range thresholds {
		check := comparison.Check(threshold)
		in.Checks = append(in.Checks, check)
		if check.Sure || check.Reached && (!options.SureFor || check.Reason != "") {
			reached = append(reached, threshold.Text)
		}
	}
	if err := writeTo(out, options.Out, func(w io.Writer) error { return write(w, in) }); err != nil {
		return err
	}
	if len(reached) > 0 {
		return exit.With(exit.Invalid, fmt.Errorf("diff: reached: %s", strings.Join(reached, "; ")))
	}
	return nil
}

// writeTo writes a whole file and names it, or writes to out where there is no path.
func writeTo(out io.Writer, path string, write func(io.Writer) error) error {
	if path == "" {
		var content bytes.Buffer
		if err := write(&content); err != nil {
			return err
		}
		_, err := out.Write(content.Bytes())
		return err
	}
	if err := writeFile(path, write); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, path)
	return err
}

// loadSide analyses the runs of a group.
func loadSide(group string, notes io.Writer, options measure.Options) (compare.Side, error) {
	runs, err := runsOf(group)
	if err != nil {
		return compare.Side{}, err
	}
	side := compare.Side{Label: labelOf(runs)}
	for _, run := range runs {
		err := analysed(notes, run, options, func(log *Log, analysis *measure.Analysis) error {
			side.Runs, side.Paths = append(side.Runs, analysis), append(side.Paths, log.Path)
			return nil
		})
		if err != nil {
			return side, err
		}
	}
	return side, nil
}

// runsOf are the runs of a group: the parts of a comma list; for a folder without a log of its own, the
// runs below it.
func runsOf(group string) ([]string, error) {
	var list []string
	for _, run := range strings.Split(group, ",") {
		if run = strings.TrimSpace(run); run == "" {
			continue
		}
		found, err := seriesIn(run)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	if len(list) == 0 {
		return nil, exit.With(exit.Usage, fmt.Errorf("%q names no run: expected a run folder, a run.db, a comma list, or a folder of runs", group))
	}
	return list, nil
}

// seriesIn is a run itself, or the runs in a folder of runs, in the order of their names.
func seriesIn(run string) ([]string, error) {
	info, err := os.Stat(run)
	if err != nil || !info.IsDir() || hasLog(run) {
		return []string{run}, nil // opening it tells what is wrong
	}
	var found []string
	for _, pattern := range []string{filepath.Join("profile_runs", "*"), "*"} {
		folders, err := filepath.Glob(filepath.Join(escapedGlob(run), pattern))
		if err != nil {
			return nil, fmt.Errorf("looking for runs in %s: %w", run, err)
		}
		slices.Sort(folders)
		for _, folder := range folders {
			if hasLog(folder) {
				found = append(found, folder)
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return []string{run}, nil
}

// hasLog reports whether a run folder holds a log, or a pointer to where it is written.
func hasLog(folder string) bool {
	matches, err := filepath.Glob(filepath.Join(escapedGlob(folder), logName+"*"))
	return err == nil && len(matches) > 0
}

// escapedGlob is a path that a glob pattern takes letter by letter.
func escapedGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// labelOf names a group by its folders.
func labelOf(paths []string) string {
	name := func(path string) string {
		if filepath.Ext(path) == ".db" {
			path = filepath.Dir(path)
		}
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		return filepath.Base(path)
	}
	if len(paths) == 1 {
		return name(paths[0])
	}
	return fmt.Sprintf("%s … %s (%d runs)", name(paths[0]), name(paths[len(paths)-1]), len(paths))
}
