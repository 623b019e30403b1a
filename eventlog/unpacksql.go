package eventlog

import (
	"fmt"
	"slices"
	"strings"
)

// unpackedSQL is what unpack does, in SQL, for the view log: the payload of the row e of events as it was
// added.
func unpackedSQL() string {
	forms := storedColumns()
	kinds := make([]Kind, 0, len(forms))
	for kind := range forms {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	var sql strings.Builder
	sql.WriteString("iif(substr(e.payload, 1, 1) = '[', CASE e.kind")
	for _, kind := range kinds {
		members := make([]string, len(forms[kind]))
		for i := range forms[kind] {
			members[i] = forms[kind][i].memberSQL()
		}
		// A merge into {} leaves the members out that are null.
		fmt.Fprintf(&sql, "\n  WHEN %d THEN json_patch('{}', json_object(%s))", kind, strings.Join(members, ", "))
	}
	sql.WriteString("\n  ELSE e.payload END, e.payload) AS payload")
	return sql.String()
}

// memberSQL is the key and its value; NULL where there is no such key.
func (c *column) memberSQL() string {
	place := func(i int) string { return fmt.Sprintf("e.payload ->> '$[%d]'", i) }
	value := ""
	switch c.codec {
	case asIs:
		value = fmt.Sprintf("e.payload -> '$[%d]'", c.place)
		if c.usual != "" {
			value = fmt.Sprintf("coalesce(nullif(%s, 'null'), '%s')", value, c.usual)
		}
		value = "json(" + value + ")"
	case flag:
		value = fmt.Sprintf("json(iif(%s IS NULL, 'true', NULL))", place(c.place))
	case agoNs:
		value = fmt.Sprintf("e.at_ns - (%s)", place(c.place))
	case sinceDueNs: // due_ns is at place 1
		value = fmt.Sprintf("e.at_ns - (%s) + coalesce(%s, 0)", place(1), place(c.place))
	case timerFromAt: // at_ns is at place 0
		gap := place(c.place)
		value = fmt.Sprintf("json(iif(%s IS NULL, NULL, json_object('due_ns', e.at_ns - (%s) + (%s), 'gap_ns', %s)))",
			gap, place(0), gap, gap)
	}
	return fmt.Sprintf("'%s', %s", c.key, value)
}
