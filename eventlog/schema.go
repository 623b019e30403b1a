package eventlog

import (
	"database/sql/driver"
	"fmt"
)

// SchemaVersion is the version of the log format that this program writes (PRAGMA user_version and
// RunConfig.Schema). It grows when an older program could not read a newer log rightly: new kinds and
// new payload keys do not count. Logs of every earlier version stay readable.
const SchemaVersion = 1

// applicationID marks the file as an agentx log ("agtx", PRAGMA application_id).
const applicationID = 0x61677478

// schemaObject is one table, index, trigger or view of the log.
type schemaObject struct{ name, sql string }

// schema lists the objects of version 1 in the order of their creation. Check compares them with the
// file word for word, so a change here is a new version.
func schema() []schemaObject {
	objects := []schemaObject{
		{"events", `CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at_ns INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  lane INTEGER,
  play INTEGER,
  stream INTEGER,
  turn INTEGER,
  exchange INTEGER,
  cause INTEGER,
  payload TEXT,
  data BLOB
) STRICT`},
		{"kinds", `CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT`},
		{"plans", `CREATE TABLE plans (
  id INTEGER PRIMARY KEY,
  before_seq INTEGER NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  bytes BLOB NOT NULL
) STRICT`},
		{"batches", `CREATE TABLE batches (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  digest BLOB NOT NULL
) STRICT`},
		{"anchor_times", `CREATE INDEX anchor_times ON events (at_ns) WHERE kind = 2`},
	}
	for _, table := range []string{"events", "kinds", "plans", "batches"} {
		for _, verb := range []string{"UPDATE", "DELETE"} {
			name := fmt.Sprintf("%s_no_%s", table, map[string]string{"UPDATE": "update", "DELETE": "delete"}[verb])
			objects = append(objects, schemaObject{name, fmt.Sprintf(
				`CREATE TRIGGER %s BEFORE %s ON %s BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END`,
				name, verb, table)})
		}
	}
	return append(objects, views()...)
}

// views are for people and their SQL; the programs read the tables.
func views() []schemaObject {
	return []schemaObject{
		{"log", `CREATE VIEW log AS
SELECT e.seq, e.at_ns, coalesce(k.name, 'kind_' || e.kind) AS kind, e.lane, e.play, e.stream, e.turn,
  e.exchange, e.cause, e.payload, e.data
FROM events e LEFT JOIN kinds k ON k.id = e.kind`},
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
	}
}

// createSchema makes the objects and fills kinds, in one transaction.
func createSchema(db *conn) error {
	if err := db.exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := db.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, object := range schema() {
		if err := db.exec(object.sql); err != nil {
			return fmt.Errorf("creating %s: %w", object.name, err)
		}
	}
	for _, kind := range Kinds() {
		if err := db.exec("INSERT INTO kinds VALUES (?, ?)", int64(kind), kind.String()); err != nil {
			return err
		}
	}
	if err := db.exec(fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion)); err != nil {
		return err
	}
	return db.exec("COMMIT")
}

// readKinds gives the table kinds, by id ascending.
func readKinds(db *conn) ([]schemaKind, error) {
	var kinds []schemaKind
	err := db.query("SELECT id, name FROM kinds ORDER BY id", nil, func(row []driver.Value) error {
		id, _ := row[0].(int64)
		name, _ := row[1].(string)
		kinds = append(kinds, schemaKind{id, name})
		return nil
	})
	return kinds, err
}

type schemaKind struct {
	id   int64
	name string
}
