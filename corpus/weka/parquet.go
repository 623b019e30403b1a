package weka

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// readParquet surveys a Parquet file with a trace in each row. A row is turned into JSON, so that one
// decoder holds all rules, and the JSON is stored: a row of a Parquet file cannot be read without most
// of its row group.
func (s *Survey) readParquet(at place) (err error) {
	file, size, err := at.open()
	if err != nil {
		return err
	}
	defer func() {
		if at.spool == nil {
			err = errors.Join(err, file.Close())
		}
	}()
	// The library reports some damage by a panic.
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("parquet: %v", fault)
		}
	}()
	table, err := parquet.OpenFile(file, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	row := 0
	for _, group := range table.RowGroups() {
		if row, err = s.readGroup(group, table.Root(), row); err != nil {
			return err
		}
	}
	if row == 0 {
		problem, hint := strange(nil)
		return &Error{Row: -1, Problem: problem, Hint: hint}
	}
	return nil
}

// open opens the place's file for reading at any offset.
func (p place) open() (*os.File, int64, error) {
	if p.spool != nil {
		return p.spool.file, p.length, nil
	}
	file, err := os.Open(p.path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// readGroup surveys the rows of a group; row is the number of the first. It returns that of the next
// group's first.
func (s *Survey) readGroup(group parquet.RowGroup, root *parquet.Column, row int) (next int, err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns := newRowColumns(root)
	buffer := make([]parquet.Row, 1)
	for {
		n, err := rows.ReadRows(buffer)
		if n == 1 {
			text := columns.json(root, buffer[0])
			at, err := s.keep(text)
			if err != nil {
				return row, err
			}
			if err := s.add(text, at, 0, row); err != nil {
				return row, err
			}
			row++
		}
		switch {
		case errors.Is(err, io.EOF) || err == nil && n == 0:
			return row, nil
		case err != nil:
			return row, fmt.Errorf("parquet, row %d: %w", row, err)
		}
	}
}

// rowColumns holds the values of one row by column, those not used yet.
type rowColumns struct {
	left [][]parquet.Value
	text []byte
}

func newRowColumns(root *parquet.Column) *rowColumns {
	leaves := 0
	var count func(*parquet.Column)
	count = func(column *parquet.Column) {
		if column.Leaf() {
			leaves = max(leaves, column.Index()+1)
		}
		for _, child := range column.Columns() {
			count(child)
		}
	}
	count(root)
	return &rowColumns{left: make([][]parquet.Value, leaves)}
}

// json writes a row as a JSON object, by the definition and repetition levels of its values. The text
// is valid until the next call.
func (r *rowColumns) json(root *parquet.Column, row parquet.Row) []byte {
	for i := range r.left {
		r.left[i] = nil
	}
	start := 0
	for i := 1; i <= len(row); i++ { // values come column by column
		if i == len(row) || row[i].Column() != row[start].Column() {
			r.left[row[start].Column()] = row[start:i]
			start = i
		}
	}
	r.text = r.text[:0]
	r.group(root)
	return r.text
}

// first is the next value of the column's first leaf; it tells whether the column is there.
func (r *rowColumns) first(column *parquet.Column) parquet.Value {
	for !column.Leaf() {
		if len(column.Columns()) == 0 {
			return parquet.Value{}
		}
		column = column.Columns()[0]
	}
	if left := r.left[column.Index()]; len(left) > 0 {
		return left[0]
	}
	return parquet.Value{}
}

// drop passes over one value of every leaf of a column that is not there.
func (r *rowColumns) drop(column *parquet.Column) {
	if column.Leaf() {
		if left := r.left[column.Index()]; len(left) > 0 {
			r.left[column.Index()] = left[1:]
		}
	}
	for _, child := range column.Columns() {
		r.drop(child)
	}
}

// any writes the value of a column, which may be a list.
func (r *rowColumns) any(column *parquet.Column) {
	if column.Repeated() {
		r.list(column, func() { r.one(column) })
		return
	}
	r.one(column)
}

// list writes the entries of a repeated column.
func (r *rowColumns) list(column *parquet.Column, entry func()) {
	r.text = append(r.text, '[')
	if r.first(column).DefinitionLevel() < column.MaxDefinitionLevel() {
		r.drop(column)
		r.text = append(r.text, ']')
		return
	}
	if leaf := integersOf(column); leaf != nil {
		r.integers(leaf, column.MaxRepetitionLevel())
		r.text = append(r.text, ']')
		return
	}
	for {
		entry()
		next := r.first(column)
		if next.RepetitionLevel() < column.MaxRepetitionLevel() || r.exhausted(column) {
			break
		}
		r.text = append(r.text, ',')
	}
	r.text = append(r.text, ']')
}

// integersOf is the only leaf of a list of signed integers, nil for other lists. Block ids are nearly all
// of a trace, so they have a way of their own.
func integersOf(column *parquet.Column) *parquet.Column {
	if !column.Leaf() {
		children := column.Columns()
		if len(children) != 1 || children[0].Repeated() {
			return nil
		}
		column = children[0]
	}
	if !column.Leaf() || isUnsigned(column) || column.Type().Kind() != parquet.Int64 {
		return nil
	}
	return column
}

// integers writes the values of a leaf up to the one that begins another list.
func (r *rowColumns) integers(leaf *parquet.Column, repeated int) {
	left := r.left[leaf.Index()]
	i := 0
	for ; i < len(left) && (i == 0 || left[i].RepetitionLevel() >= repeated); i++ {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		if left[i].IsNull() {
			r.text = append(r.text, "null"...)
			continue
		}
		r.text = strconv.AppendInt(r.text, left[i].Int64(), 10)
	}
	r.left[leaf.Index()] = left[i:]
}

// exhausted reports whether the column's first leaf has no values left.
func (r *rowColumns) exhausted(column *parquet.Column) bool {
	for !column.Leaf() {
		if len(column.Columns()) == 0 {
			return true
		}
		column = column.Columns()[0]
	}
	return len(r.left[column.Index()]) == 0
}

// one writes one value of a column, its repetition aside.
func (r *rowColumns) one(column *parquet.Column) {
	switch {
	case column.Optional() && r.first(column).DefinitionLevel() < column.MaxDefinitionLevel():
		r.drop(column)
		r.text = append(r.text, "null"...)
	case column.Leaf():
		left := r.left[column.Index()]
		if len(left) == 0 {
			r.text = append(r.text, "null"...)
			return
		}
		r.left[column.Index()] = left[1:]
		r.leaf(column, left[0])
	default:
		if entries, wrapped := listOf(column); wrapped {
			r.list(entries, func() { r.listEntry(entries) })
			return
		}
		r.group(column)
	}
}

// listOf recognises the group that Parquet puts around a list.
func listOf(column *parquet.Column) (entries *parquet.Column, wrapped bool) {
	children := column.Columns()
	if len(children) != 1 || !children[0].Repeated() {
		return nil, false
	}
	switch children[0].Name() {
	case "list", "array", "bag", "element", "item":
		return children[0], true
	}
	return nil, false
}

// listEntry writes an entry of a wrapped list: the only child of the repeated group, or the repeated
// column itself.
func (r *rowColumns) listEntry(entries *parquet.Column) {
	if children := entries.Columns(); len(children) == 1 {
		r.any(children[0])
		return
	}
	r.one(entries)
}

func (r *rowColumns) group(column *parquet.Column) {
	r.text = append(r.text, '{')
	for i, child := range column.Columns() {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		r.text = appendJSONString(r.text, child.Name())
		r.text = append(r.text, ':')
		r.any(child)
	}
	r.text = append(r.text, '}')
}

// leaf writes a single value. A text that is a JSON object or list stands for what it says: some
// writers store mixed lists that way.
func (r *rowColumns) leaf(column *parquet.Column, value parquet.Value) {
	switch value.Kind() {
	case parquet.Boolean:
		r.text = strconv.AppendBool(r.text, value.Boolean())
	case parquet.Int32:
		if isUnsigned(column) {
			r.text = strconv.AppendUint(r.text, uint64(value.Uint32()), 10)
			return
		}
		r.text = strconv.AppendInt(r.text, int64(value.Int32()), 10)
	case parquet.Int64:
		if isUnsigned(column) {
			r.text = strconv.AppendUint(r.text, value.Uint64(), 10)
			return
		}
		r.text = strconv.AppendInt(r.text, value.Int64(), 10)
	case parquet.Float:
		r.number(float64(value.Float()))
	case parquet.Double:
		r.number(value.Double())
	default:
		text := value.ByteArray()
		if len(text) > 0 && (text[0] == '{' || text[0] == '[') && isJSON(text) {
			r.text = append(r.text, text...)
			return
		}
		r.text = appendJSONString(r.text, string(text))
	}
}

// number writes a float; those that JSON does not have become strings, which no field accepts.
func (r *rowColumns) number(value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		r.text = appendJSONString(r.text, strconv.FormatFloat(value, 'g', -1, 64))
		return
	}
	r.text = strconv.AppendFloat(r.text, value, 'g', -1, 64)
}

func isUnsigned(column *parquet.Column) bool {
	logical := column.Type().LogicalType()
	if logical == nil {
		return false
	}
	integer, ok := logical.Value.(*format.IntType)
	return ok && !integer.IsSigned
}
