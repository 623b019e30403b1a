package analyze

import (
	"errors"
	"io"
	"path/filepath"

	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/reportpage"
)

// reportName is the page in the folder of a run; of several runs it is written where the user stands.
const reportName = "report.html"

// Report writes the page of one or several runs, and names it. A run that cannot be read is left out, and
// its error returned.
func Report(out, notes io.Writer, runs []string, path string, options measure.Options) error {
	var pages []reportpage.Run
	var failed error
	folder := ""
	for _, group := range runs {
		found, err := runsOf(group)
		if err != nil {
			return err
		}
		for _, run := range found {
			err := analysed(notes, run, options, func(log *Log, analysis *measure.Analysis) error {
				pages = append(pages, reportpage.Run{Label: labelOf([]string{run}), Path: log.Path, Analysis: analysis})
				folder = log.Dir
				return nil
			})
			failed = errors.Join(failed, err)
		}
	}
	if len(pages) == 0 {
		return failed
	}
	if path == "" {
		path = reportName
		if len(pages) == 1 {
			path = filepath.Join(folder, reportName)
		}
	}
	if err := writeTo(out, path, func(w io.Writer) error { return reportpage.HTML(w, pages) }); err != nil {
		return exit.With(exit.Failure, err)
	}
	return failed
}
