package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"agentx/internal/promtext"

	"github.com/parquet-go/parquet-go"
)

// csvHeader is the first row of an exported table, and that of its second part where it has one.
func csvHeader(name string) (first, second []string) {
	distribution := []string{"avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std"}
	switch name {
	case "profile_export_aiperf.csv":
		return append([]string{"Metric"}, distribution...), []string{"Metric", "Value"}
	case "profile_export_aiperf_timeslices.csv":
		return []string{"Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value"}, nil
	case "server_metrics_export.csv":
		return []string{"Metric", "Type", "Endpoint", "Labels", "Stat", "Value"}, nil
	default:
		return []string{"metric", "mean", "std", "min", "max", "cv", "se", "ci_low", "ci_high", "t_critical", "unit"}, []string{"num_profile_runs"}
	}
}

// validateCSV checks the header of each part of a table, and that its rows are as long.
func validateCSV(path, name string, file io.Reader) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("validating: %w", err)
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		return &InvalidError{Path: path, Problems: []string{"the last line does not end: the file was cut"}}
	}
	first, second := csvHeader(name)
	parts := bytes.SplitN(text, []byte("\n\n"), 2)
	if wanted := 1 + min(len(second), 1); len(parts) != wanted {
		return &InvalidError{Path: path, Problems: []string{fmt.Sprintf("%d parts with a blank line between them, expected %d", len(parts), wanted)}}
	}
	for i, header := range [][]string{first, second}[:len(parts)] {
		rows, err := csv.NewReader(bytes.NewReader(parts[i])).ReadAll() // all rows as long as the first
		if err != nil {
			return &InvalidError{Path: path, Problems: []string{fmt.Sprintf("part %d: %v", i+1, err)}}
		}
		if len(rows) == 0 || !slices.Equal(rows[0][:min(len(header), len(rows[0]))], header) {
			return &InvalidError{Path: path, Problems: []string{fmt.Sprintf("part %d does not begin with %s", i+1, strings.Join(header, ","))}}
		}
	}
	return nil
}

// validateParquet checks the columns, and reads every row.
func validateParquet(path string, file *os.File) (err error) {
	broken := func(problem any) error { return &InvalidError{Path: path, Problems: []string{fmt.Sprint(problem)}} }
	defer func() {
		if problem := recover(); problem != nil { // the library's way to say that a file is damaged
			err = broken(problem)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("validating: %w", err)
	}
	table, err := parquet.OpenFile(file, info.Size())
	if err != nil {
		return broken(err)
	}
	if wanted := parquet.SchemaOf(parquetRow{}); table.Schema().String() != wanted.String() {
		return broken("its columns are not those of records.parquet")
	}
	reader := parquet.NewGenericReader[parquetRow](table)
	rows, read := make([]parquetRow, parquetBatch), int64(0)
	for {
		n, err := reader.Read(rows)
		read += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return broken(err)
		}
	}
	if read != table.NumRows() {
		return broken(fmt.Sprintf("%d rows could be read of %d", read, table.NumRows()))
	}
	return reader.Close()
}

// validateMetrics checks a page of OpenMetrics text: every line can be read, and it ends as it must.
func validateMetrics(path string, file io.Reader) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("validating: %w", err)
	}
	_, skipped, first := promtext.Parse(text)
	switch {
	case skipped > 0:
		return &InvalidError{Path: path, Problems: []string{fmt.Sprintf("%d lines cannot be read, the first because %v", skipped, first)}}
	case !bytes.HasSuffix(text, []byte("# EOF\n")):
		return &InvalidError{Path: path, Problems: []string{"it does not end with # EOF: the file was cut"}}
	}
	return nil
}
