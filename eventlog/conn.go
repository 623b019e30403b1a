package eventlog

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"

	"modernc.org/sqlite"
)

// conn is one SQLite connection, used by one goroutine at a time. It speaks to the driver itself:
// database/sql's pool would only stand between the one writer and its one connection.
type conn struct {
	driver driver.Conn
}

// openConn opens the database at path. Parameters are those of SQLite's URIs (mode, immutable) and the
// driver's _pragma.
func openConn(path string, parameters url.Values) (*conn, error) {
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: parameters.Encode()}
	opened, err := (&sqlite.Driver{}).Open(name.String())
	if err != nil {
		return nil, err
	}
	return &conn{driver: opened}, nil
}

func (c *conn) close() error { return c.driver.Close() }

// exec runs one statement.
func (c *conn) exec(sql string, args ...driver.Value) error {
	_, err := c.driver.(driver.ExecerContext).ExecContext(context.Background(), sql, named(args))
	return err
}

// query runs one statement and calls row for each row; row's slice is reused. An error of row stops
// the query and is returned.
func (c *conn) query(sql string, args []driver.Value, row func([]driver.Value) error) error {
	rows, err := c.driver.(driver.QueryerContext).QueryContext(context.Background(), sql, named(args))
	if err != nil {
		return err
	}
	return eachRow(rows, row)
}

// queryInt gives the first column of the first row; 0 where there is no row or it is NULL.
func (c *conn) queryInt(sql string, args ...driver.Value) (int64, error) {
	var value int64
	err := c.query(sql, args, func(row []driver.Value) error {
		value, _ = row[0].(int64)
		return errStop
	})
	return value, err
}

func (c *conn) prepare(sql string) (*statement, error) {
	prepared, err := c.driver.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("preparing %q: %w", sql, err)
	}
	return &statement{driver: prepared}, nil
}

// statement is a prepared statement of a conn.
type statement struct {
	driver driver.Stmt
}

func (s *statement) close() error { return s.driver.Close() }

// exec takes arguments that the caller has numbered from 1, so that it can reuse them.
func (s *statement) exec(args []driver.NamedValue) error {
	_, err := s.driver.(driver.StmtExecContext).ExecContext(context.Background(), args)
	return err
}

// query is conn.query on the prepared statement.
func (s *statement) query(args []driver.NamedValue, row func([]driver.Value) error) error {
	rows, err := s.driver.(driver.StmtQueryContext).QueryContext(context.Background(), args)
	if err != nil {
		return err
	}
	return eachRow(rows, row)
}

// errStop ends a query early without an error.
var errStop = errors.New("stop")

func eachRow(rows driver.Rows, row func([]driver.Value) error) error {
	values := make([]driver.Value, len(rows.Columns()))
	for {
		err := rows.Next(values)
		if err == nil {
			err = row(values)
		}
		if err == nil {
			continue
		}
		closeErr := rows.Close()
		if err == io.EOF || err == errStop {
			return closeErr
		}
		return err
	}
}

// named numbers args from 1, as the driver wants them.
func named(args []driver.Value) []driver.NamedValue {
	values := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return values
}
