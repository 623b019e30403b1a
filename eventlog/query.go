package eventlog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Rows are the result of a query: call Next until it returns false, then Close.
type Rows struct {
	rows   driver.Rows
	values []driver.Value
	err    error
}

// Query runs one read-only statement on the log, for people's own SQL; see the recipes in
// docs/event-log.md. On a live log it holds a snapshot until Close: keep it short. Statements that touch
// other files (ATTACH, VACUUM INTO) are refused: SQLite itself holds them for reading only.
func (r *Reader) Query(sql string) (*Rows, error) {
	if word := firstWord(sql); !slices.Contains([]string{"SELECT", "WITH", "EXPLAIN", "PRAGMA", "VALUES"}, word) {
		return nil, fmt.Errorf("event log %s: a query begins with SELECT, WITH, VALUES, EXPLAIN or PRAGMA, not with %q", r.path, word)
	}
	rows, err := r.db.driver.(driver.QueryerContext).QueryContext(context.Background(), sql, nil)
	if err != nil {
		return nil, fmt.Errorf("event log %s: %w", r.path, err)
	}
	return &Rows{rows: rows, values: make([]driver.Value, len(rows.Columns()))}, nil
}

// firstWord is the first word of a statement in capitals, behind blanks and comments.
func firstWord(sql string) string {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n;(")
		switch {
		case strings.HasPrefix(sql, "--"):
			_, sql, _ = strings.Cut(sql, "\n")
		case strings.HasPrefix(sql, "/*"):
			_, sql, _ = strings.Cut(sql, "*/")
		default:
			end := strings.IndexFunc(sql, func(r rune) bool { return !unicode.IsLetter(r) })
			if end < 0 {
				end = len(sql)
			}
			return strings.ToUpper(sql[:end])
		}
	}
}

// Columns are the names of the result's columns.
func (rows *Rows) Columns() []string { return rows.rows.Columns() }

// Next moves to the next row; false after the last one and after an error.
func (rows *Rows) Next() bool {
	err := rows.rows.Next(rows.values)
	if err != nil && err != io.EOF {
		rows.err = err
	}
	return err == nil
}

// Values are the current row's: nil, int64, float64, string or []byte.
func (rows *Rows) Values() []any {
	values := make([]any, len(rows.values))
	for i, value := range rows.values {
		values[i] = value
	}
	return values
}

// Close ends the query; the error is the first one of the whole query.
func (rows *Rows) Close() error {
	closeErr := rows.rows.Close()
	if rows.err != nil {
		return rows.err
	}
	return closeErr
}
