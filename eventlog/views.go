package eventlog

import (
	"fmt"
	"strings"
)

// views are for people and their SQL; the programs read the tables.
func views(version int) []schemaObject {
	return []schemaObject{
		{"log", logView(version)},
		{"anchors", `CREATE VIEW anchors AS
SELECT seq, at_ns, payload ->> 'wall_ns' AS wall_ns, payload ->> 'why' AS why,
  coalesce(payload ->> 'step_ns', 0) AS step_ns
FROM events WHERE kind = 2`},
		// Between two anchors the wall clock is interpolated; across a clock step, and after the last
		// anchor, it goes on from the anchor before at the rate of the run clock.
		{"wall_times", `CREATE VIEW wall_times AS
SELECT seq, at_ns, kind, CASE
    WHEN next_wall_ns IS NULL OR next_why = 'step' OR next_at_ns = anchor_at_ns THEN anchor_wall_ns + (at_ns - anchor_at_ns)
    ELSE anchor_wall_ns + (at_ns - anchor_at_ns)
      + CAST(round((at_ns - anchor_at_ns) * ((next_wall_ns - anchor_wall_ns) - (next_at_ns - anchor_at_ns)) * 1.0
        / (next_at_ns - anchor_at_ns)) AS INTEGER)
  END AS wall_ns
FROM (SELECT e.seq, e.at_ns, e.kind, a.at_ns AS anchor_at_ns, a.payload ->> 'wall_ns' AS anchor_wall_ns,
    n.at_ns AS next_at_ns, n.payload ->> 'wall_ns' AS next_wall_ns, n.payload ->> 'why' AS next_why
  FROM events e
  LEFT JOIN events a ON a.kind = 2 AND a.seq = coalesce(
    (SELECT seq FROM events WHERE kind = 2 AND at_ns <= e.at_ns ORDER BY at_ns DESC, seq DESC LIMIT 1),
    (SELECT seq FROM events WHERE kind = 2 ORDER BY at_ns, seq LIMIT 1))
  LEFT JOIN events n ON n.kind = 2 AND n.seq =
    (SELECT seq FROM events WHERE kind = 2 AND at_ns > a.at_ns ORDER BY at_ns, seq LIMIT 1))`},
		{"exchanges", exchangesView(version)},
	}
}

// logView is the events with the names of their kinds and the payloads as they were added, but for
// exchange_end, whose values have the view exchanges.
func logView(version int) string {
	payload := "e.payload"
	if version >= 2 {
		payload = unpackedSQL()
	}
	return `CREATE VIEW log AS
SELECT e.seq, e.at_ns, coalesce(k.name, 'kind_' || e.kind) AS kind, e.lane, e.play, e.stream, e.turn,
  e.exchange, e.cause, ` + payload + `, e.data
FROM events e LEFT JOIN kinds k ON k.id = e.kind`
}

// exchangesView gives each value of an exchange_end payload a column; see exchangeForm.
func exchangesView(version int) string {
	// shared is a value that may stand in an earlier event: see sharedKey.
	shared := func(path string) string { return "payload ->> '" + path + "'" }
	if version >= 2 {
		shared = func(path string) string {
			return fmt.Sprintf("coalesce(payload ->> '%s', (SELECT s.payload ->> '%s' FROM events s WHERE s.seq = events.payload ->> '%s'))",
				path, path, sharedKey)
		}
	}
	requestID := "payload ->> 'id'"
	if version >= 2 {
		requestID = "coalesce(payload ->> 'id', " + headSQL(2, 4, 2, 2, 2, 6) + ")"
	}
	columns := []string{
		"seq", "exchange", "at_ns",
		"payload ->> 'o' AS outcome",
		"payload ->> 'c' AS class",
		"payload ->> 'why' AS reason",
		"payload ->> '$.err.type' AS error_type",
		"payload ->> '$.err.code' AS error_code",
		"payload ->> '$.err.msg' AS error_message",
		requestID + " AS request_id",
		"coalesce(" + shared("st") + ", 200) AS status",
		"payload ->> '$.ns[0]' AS start_ns",
	}
	for i, stamp := range []string{
		"send_start", "written", "first_byte", "headers", "first_token", "first_text", "second_token",
		"last_token", "last_response", "last_byte", "end", "cancel",
	} {
		columns = append(columns, fmt.Sprintf(
			"iif(payload ->> '$.ns[%d]' IS NULL, NULL, (SELECT sum(value) FROM json_each(payload, '$.ns') WHERE key <= %d)) AS %s_ns",
			i+1, i+1, stamp))
	}
	for _, array := range []struct{ key, names string }{
		{"d", "conn_wait_ns dns_ns connect_ns tls_ns"},
		{"u", "usage_prompt usage_completion usage_total usage_reasoning usage_cache_read usage_cache_write"},
		{"n", "output_tokens_local reasoning_tokens_local"},
	} {
		for i, name := range strings.Fields(array.names) {
			columns = append(columns, fmt.Sprintf("payload ->> '$.%s[%d]' AS %s", array.key, i, name))
		}
	}
	for i, name := range strings.Fields("sent_bytes received_bytes writes reads prompt_tokens marker_tokens " +
		"reach_tokens max_tokens read_delay_ns url_index resends") {
		columns = append(columns, fmt.Sprintf("coalesce(payload ->> '$.v[%d]', 0) AS %s", i+1, name))
	}
	for i := range chunkClasses {
		columns = append(columns, fmt.Sprintf("coalesce(payload ->> '$.k[%d]', 0) AS %v_chunks", i, ChunkClass(i+1)))
	}
	columns = append(columns,
		"coalesce(payload ->> '$.v[0]', 0) & 1 AS reused",
		"coalesce(payload ->> '$.v[0]', 0) >> 3 & 1 AS early",
		shared("m")+" AS model",
		shared("$.fin[0]")+" AS finish_reason",
		shared("a")+" AS addresses",
	)
	if version >= 2 {
		columns = append(columns, "iif(substr(data, 1, 1) = x'03', "+headSQL(18, 32)+", NULL) AS body_digest")
	}
	return "CREATE VIEW exchanges AS\nSELECT " + strings.Join(columns, ",\n  ") + "\nFROM events WHERE kind = 202"
}

// headSQL gives bytes of the head of an exchange_end's data in hex, from a place counted from 1, in groups
// of such lengths with dashes between them; NULL where there is no head.
func headSQL(from int, groups ...int) string {
	parts := make([]string, len(groups))
	for i, length := range groups {
		parts[i] = fmt.Sprintf("hex(substr(data, %d, %d))", from, length)
		from += length
	}
	return "iif(substr(data, 1, 1) IN (x'03', x'04'), lower(" + strings.Join(parts, " || '-' || ") + "), NULL)"
}
