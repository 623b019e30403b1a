package eventlog

import (
	"database/sql/driver"
	"fmt"
	"strings"
)

// Report is what Check found.
type Report struct {
	Path    string
	Version int
	Events  Seq // the number of the last event
	Batches int
	Plans   int

	// ValidTo is the end of the prefix whose batches all agree with the chain; Head is the digest of
	// its last batch, which stands for everything up to there.
	ValidTo Seq
	Head    Digest

	// End is the closing event; nil where the log has none: the run was interrupted, or is running.
	End *RunEnd

	Damages     []Damage
	MoreDamages int // beyond the first 100
}

// Interrupted tells that there is no closing event.
func (report *Report) Interrupted() bool { return report.End == nil }

// Cut tells that the log lacks the run's last events: there is no closing event, or it says that the log
// could not be written any more.
func (report *Report) Cut() bool {
	return report.Interrupted() || report.End.Reason == ReasonLogFailure
}

// Damage is one thing that is wrong with a log.
type Damage struct {
	Batch Seq // first event of the batch; 0 where it is not in one
	Seq   Seq // the event; 0 where none is meant
	What  string
}

// String names the place and what is wrong there.
func (damage Damage) String() string {
	var place []string
	if damage.Batch > 0 {
		place = append(place, fmt.Sprintf("batch %d", damage.Batch))
	}
	if damage.Seq > 0 {
		place = append(place, fmt.Sprintf("event %d", damage.Seq))
	}
	if len(place) == 0 {
		return damage.What
	}
	return strings.Join(place, ", ") + ": " + damage.What
}

// Check verifies the whole log: the database's own structure, the schema, dense numbers, the digest
// chain, plans against their digests, run_config first, causes before effects, the closing event last.
// All damage is in the report. A live log is checked as far as it was committed at the call.
func (r *Reader) Check() *Report {
	return r.check(func(v *verification) {
		v.checkDatabase()
		v.checkSchema()
	})
}

// CheckChain is Check without the database's own structure and the schema: whether what is read is what was
// written.
func (r *Reader) CheckChain() *Report { return r.check(func(*verification) {}) }

func (r *Reader) check(first func(v *verification)) *Report {
	report := &Report{Path: r.path, Version: r.version}
	v, err := r.newVerification(report)
	if err != nil {
		report.Damages = append(report.Damages, Damage{What: err.Error()})
		return report
	}
	defer v.close()
	first(v)
	v.run()
	return report
}

func (v *verification) checkDatabase() {
	err := v.r.db.query("PRAGMA integrity_check", nil, func(row []driver.Value) error {
		if text, _ := row[0].(string); text != "ok" {
			v.violation(0, 0, "database: "+text)
		}
		return nil
	})
	if err != nil {
		v.violation(0, 0, fmt.Sprintf("database: integrity check: %v", err))
	}
}

// checkSchema compares our objects with those of the format; what a user added is no damage.
func (v *verification) checkSchema() {
	found := map[string]string{}
	err := v.r.db.query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL", nil, func(row []driver.Value) error {
		name, _ := row[0].(string)
		found[name], _ = row[1].(string)
		return nil
	})
	if err != nil {
		v.violation(0, 0, fmt.Sprintf("schema: %v", err))
	}
	for _, object := range schema(v.r.version) {
		if sql, ok := found[object.name]; !ok {
			v.violation(0, 0, fmt.Sprintf("schema: %s is missing", object.name))
		} else if sql != object.sql {
			v.violation(0, 0, fmt.Sprintf("schema: %s is not as version %d has it", object.name, v.r.version))
		}
	}
}
