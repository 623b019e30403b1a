package analyze

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/reportpage"
)

// reportName is the page in the folder of a run; of several runs it is written where the user stands.
const reportName = "report.html"

// Report writes the page of one or several runs, and names it. A run that cannot be read is left out, and
// its error returned. Where no path is given, the page of several runs goes where the user stands, and takes
// no other file's place there.
func Report(out, notes io.Writer, runs []string, path string, options measure.Options) error {
	var pages []reportpage.Run
	var failed error
	var all []string
	for _, group := range runs {
		found, err := runsOf(group)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	if path == "" && len(all) > 1 {
		if _, err := os.Lstat(reportName); !errors.Is(err, fs.ErrNotExist) {
			return exit.With(exit.Usage, fmt.Errorf("report: %s is in this folder already: say with -o which file the page of %d runs is to be", reportName, len(all)))
		}
	}
	folder := ""
	for _, run := range all {
		err := analysed(notes, run, options, func(log *Log, analysis *measure.Analysis) error {
			pages = append(pages, reportpage.Run{Label: labelOf([]string{run}), Path: log.Path, Analysis: analysis})
			folder = log.Dir
			return nil
		})
		failed = errors.Join(failed, err)
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
