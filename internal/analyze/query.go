package analyze

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"agentx/internal/exit"
	"agentx/internal/view/report"
)

// SQLite's codes for files that are damaged or no database.
const (
	sqliteCorrupt = 11
	sqliteNotADB  = 26
)

// Query runs one read-only SQL statement on a log and shows its rows. A statement that fails is a usage
// error; JSON has one object a row.
func Query(out, notes io.Writer, run, sql string, format report.Format) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	damage := log.startCheck()
	defer func() { err = errors.Join(err, damage()) }()
	rows, err := log.Query(sql)
	if err != nil {
		return sqlError(err)
	}
	buffered := bufio.NewWriter(out)
	writer, err := rowWriterFor(buffered, rows.Columns(), format)
	if err != nil {
		return errors.Join(exit.With(exit.Usage, err), rows.Close())
	}
	for err == nil && rows.Next() {
		err = writer.row(rows.Values())
	}
	if closing := rows.Close(); err == nil && closing != nil {
		err = sqlError(closing)
	}
	return errors.Join(err, writer.end(), buffered.Flush())
}

func sqlError(err error) error {
	var coded interface{ Code() int }
	if errors.As(err, &coded) && (coded.Code()&0xff == sqliteCorrupt || coded.Code()&0xff == sqliteNotADB) {
		return exit.With(exit.Damage, err)
	}
	return exit.With(exit.Usage, err)
}

// rowWriter writes the rows of a result in a format.
type rowWriter interface {
	row(values []any) error
	end() error
}

func rowWriterFor(out io.Writer, columns []string, format report.Format) (rowWriter, error) {
	switch format {
	case report.FormatText, "":
		t := &textRows{tabwriter.NewWriter(out, 0, 8, 2, ' ', 0), 0}
		_, err := fmt.Fprintln(t.table, strings.Join(columns, "\t"))
		return t, err
	case report.FormatCSV:
		c := csvRows{csv.NewWriter(out)}
		return c, c.writer.Write(columns)
	case report.FormatJSON:
		return &jsonRows{out, columns}, nil
	}
	return nil, fmt.Errorf("format %q: expected text, csv or json", format)
}

// textRows aligns columns over a stretch of rows, so that a long result does not wait for its end.
type textRows struct {
	table *tabwriter.Writer
	count int
}

const alignedRows = 500

func (t *textRows) row(values []any) error {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(word(value, "NULL"))
	}
	if _, err := fmt.Fprintln(t.table, strings.Join(words, "\t")); err != nil {
		return err
	}
	if t.count++; t.count%alignedRows == 0 {
		return t.table.Flush()
	}
	return nil
}

func (t *textRows) end() error { return t.table.Flush() }

type csvRows struct{ writer *csv.Writer }

func (c csvRows) row(values []any) error {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = word(value, "")
	}
	return c.writer.Write(words)
}

func (c csvRows) end() error {
	c.writer.Flush()
	return c.writer.Error()
}

// jsonRows writes one object a line, with its keys in the order of the columns.
type jsonRows struct {
	out     io.Writer
	columns []string
}

func (j *jsonRows) row(values []any) error {
	line := []byte{'{'}
	for i, value := range values {
		if i > 0 {
			line = append(line, ',')
		}
		switch typed := value.(type) {
		case []byte:
			value = hex.EncodeToString(typed)
		case float64:
			if math.IsInf(typed, 0) || math.IsNaN(typed) {
				value = word(typed, "")
			}
		}
		key, err := json.Marshal(j.columns[i])
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		line = append(append(append(line, key...), ':'), text...)
	}
	_, err := j.out.Write(append(line, '}', '\n'))
	return err
}

func (j *jsonRows) end() error { return nil }

// word is a value as text: blobs in hex.
func word(value any, null string) string {
	switch typed := value.(type) {
	case nil:
		return null
	case []byte:
		return hex.EncodeToString(typed)
	case float64:
		return strconv.FormatFloat(typed, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
