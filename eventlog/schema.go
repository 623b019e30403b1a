package eventlog

import (
	"database/sql/driver"
	"fmt"
)

// SchemaVersion is the version of the log format that this program writes (PRAGMA user_version and
// RunConfig.Schema). It grows when an older program could not read a newer log rightly: new kinds and
// new payload keys do not count. Logs of every earlier version stay readable.
const SchemaVersion = 2

// applicationID marks the file as an agentx log ("agtx", PRAGMA application_id).
const applicationID = 0x61677478

// schemaObject is one table, index, trigger or view of the log.
type schemaObject struct{ name, sql string }

// schema lists the objects of a version in the order of their creation. Check compares them with the
// file word for word, so a change here is a new version.
func schema(version int) []schemaObject {
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
	// One check a commit; the same for each event would cost as much as its insertion.
	objects = append(objects, schemaObject{"batches_in_order", `CREATE TRIGGER batches_in_order BEFORE INSERT ON batches
WHEN NEW.first_seq <> coalesce((SELECT last_seq FROM batches ORDER BY first_seq DESC LIMIT 1), 0) + 1
  OR NEW.last_seq <> (SELECT max(seq) FROM events)
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END`})
	return append(objects, views(version)...)
}

// createSchema makes the objects and fills kinds, in one transaction.
func createSchema(db *conn) error {
	if err := db.exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := db.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, object := range schema(SchemaVersion) {
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
		if len(kinds) > 0 && id <= kinds[len(kinds)-1].id { // a damaged table may go in circles
			return fmt.Errorf("table kinds: id %d comes after %d", id, kinds[len(kinds)-1].id)
		}
		kinds = append(kinds, schemaKind{id, name})
		return nil
	})
	return kinds, err
}

type schemaKind struct {
	id   int64
	name string
}
