package eventlog

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"math"

	"github.com/zeebo/blake3"
)

// verification walks over batches, events and plans and compares them with the chain.
type verification struct {
	r        *Reader
	kinds    map[Kind]bool
	plans    []storedPlan
	chain    *chain
	report   *Report
	broken   *Damage // the first that ends the valid prefix: ValidTo stands still
	batch    storedBatch
	trailing Seq // the last plan's place
	scan     *scan
	rows     rowSource // the scan, or a pass that is read beside
}

// rowSource gives rows as they are stored.
type rowSource interface {
	seek(from, to Seq)
	each(yield func(Event, error) bool)
}

type storedBatch struct {
	first, last Seq
	digest      Digest
}

type storedPlan struct {
	before Seq
	digest Digest
}

// maxDamages bounds the list in a Report.
const maxDamages = 100

// newVerification reads what the chain begins with. An error means that not even that can be read.
func (r *Reader) newVerification(report *Report) (*verification, error) {
	kinds, err := readKinds(r.db)
	if err != nil {
		return nil, fmt.Errorf("reading the table kinds: %w", err)
	}
	v := &verification{r: r, report: report, kinds: map[Kind]bool{}, chain: newChain(genesis(r.version, kinds))}
	if v.scan, err = r.newScan(Filter{}, nil); err != nil {
		return nil, err
	}
	v.scan.dense = false // what is missing is reported, and the scan goes on
	v.scan.raw = true    // the chain is over what is stored
	v.rows = v.scan
	for _, kind := range kinds {
		v.kinds[Kind(kind.id)] = true
		if known := Kind(kind.id).name(); known != "" && known != kind.name {
			v.violation(0, 0, fmt.Sprintf("table kinds: kind %d is named %q, expected %q", kind.id, kind.name, known))
		}
	}
	return v, nil
}

// damage reports something after which the log cannot be trusted.
func (v *verification) damage(batch, seq Seq, what string) {
	if v.broken == nil {
		v.broken = &Damage{Batch: batch, Seq: seq, What: what}
	}
	v.violation(batch, seq, what)
}

// violation reports something that is wrong, but that says nothing against the events around it.
func (v *verification) violation(batch, seq Seq, what string) {
	if len(v.report.Damages) < maxDamages {
		v.report.Damages = append(v.report.Damages, Damage{Batch: batch, Seq: seq, What: what})
	} else {
		v.report.MoreDamages++
	}
}

func (v *verification) close() { v.scan.close() }

// run verifies all that was committed when it began; a live log may have grown since.
func (v *verification) run() {
	var lastEvent, lastBatch Seq
	err := v.r.db.query("SELECT (SELECT max(seq) FROM events), (SELECT last_seq FROM batches ORDER BY first_seq DESC LIMIT 1)",
		nil, func(row []driver.Value) error {
			lastEvent, lastBatch = Seq(scanInt(row[0], 0)), Seq(scanInt(row[1], 0))
			return nil
		})
	if err != nil {
		v.readPlans(math.MaxInt64)
		v.walkBatches(math.MaxInt64)
		v.damage(0, 0, fmt.Sprintf("finding the last event: %v", err))
		return
	}
	v.report.Events = lastEvent
	v.readPlans(lastEvent)
	v.walkBatches(max(lastBatch, lastEvent))
	if lastEvent > lastBatch {
		v.damage(0, lastBatch+1, fmt.Sprintf("events %d to %d belong to no batch", lastBatch+1, lastEvent))
	}
	if lastBatch > lastEvent {
		v.damage(lastBatch, lastEvent+1, fmt.Sprintf("events %d to %d are missing at the end", lastEvent+1, lastBatch))
	}
	if v.report.End != nil && v.trailing > lastEvent+1 {
		v.violation(0, 0, fmt.Sprintf("plans: one belongs before event %d, but the last event is %d", v.trailing, lastEvent))
	}
}

// readPlans checks each plan against its digest and keeps what the chain needs.
func (v *verification) readPlans(lastEvent Seq) {
	expected := int64(1)
	err := v.r.db.query("SELECT id, before_seq, digest, bytes FROM plans ORDER BY id", nil, func(row []driver.Value) error {
		id, before := scanInt(row[0], 0), Seq(scanInt(row[1], 0))
		digest, _ := row[2].([]byte)
		content, _ := row[3].([]byte)
		if id < expected { // a damaged table may go in circles
			return fmt.Errorf("row %d comes after row %d", id, expected-1)
		}
		if id != expected {
			v.violation(0, 0, fmt.Sprintf("plans: row %d is missing", expected))
		}
		expected = id + 1
		computed := blake3.Sum256(content)
		if !bytes.Equal(digest, computed[:]) {
			v.violation(0, 0, fmt.Sprintf("plans: row %d (before event %d) has the BLAKE3 %x, its digest says %x", id, before, computed, digest))
		}
		v.trailing = max(v.trailing, before)
		if before <= lastEvent {
			v.plans = append(v.plans, storedPlan{before, Digest(append(digest, make([]byte, 32)...)[:32])})
		}
		v.report.Plans++
		return nil
	})
	if err != nil {
		v.violation(0, 0, fmt.Sprintf("plans: reading row %d: %v", expected, err))
	}
}

// batchPage is how many rows of batches are read in one transaction.
const batchPage = 1024

func (v *verification) walkBatches(last Seq) {
	for from := Seq(1); from <= last; {
		var page []storedBatch
		err := v.r.db.query(fmt.Sprintf("SELECT first_seq, last_seq, digest FROM batches WHERE first_seq >= ? AND last_seq <= ? ORDER BY first_seq LIMIT %d", batchPage),
			[]driver.Value{int64(from), int64(last)}, func(row []driver.Value) error {
				batch := storedBatch{first: Seq(scanInt(row[0], 0)), last: Seq(scanInt(row[1], 0))}
				if batch.first < from { // a damaged table may go in circles
					return fmt.Errorf("the batch of event %d comes after the one of event %d", batch.first, from-1)
				}
				from = batch.first + 1
				digest, _ := row[2].([]byte)
				copy(batch.digest[:], digest)
				page = append(page, batch)
				return nil
			})
		for _, batch := range page {
			v.verifyBatch(batch)
		}
		if err != nil {
			v.damage(from, 0, fmt.Sprintf("reading the batches after event %d: %v", v.batch.last, err))
			return
		}
		if len(page) < batchPage {
			return
		}
	}
}

// verifyBatch checks one batch by itself: after a wrong one the chain goes on from the digest that
// the log gives, so that each damage is found where it is.
func (v *verification) verifyBatch(batch storedBatch) {
	if batch.first != v.batch.last+1 || batch.last < batch.first {
		v.damage(batch.first, 0, fmt.Sprintf("the batch of events %d to %d follows the one that ends with %d", batch.first, batch.last, v.batch.last))
	}
	v.batch = batch
	v.report.Batches++
	expected := batch.first
	damaged := len(v.report.Damages) + v.report.MoreDamages
	v.rows.seek(batch.first, batch.last)
	v.rows.each(func(event Event, err error) bool {
		if err != nil {
			v.damage(batch.first, expected, err.Error())
			return false
		}
		v.verifyEvent(&event, expected)
		expected = event.Seq + 1
		return true
	})
	if expected != batch.last+1 && damaged == len(v.report.Damages)+v.report.MoreDamages {
		v.damage(batch.first, expected, fmt.Sprintf("events %d to %d are missing", expected, batch.last))
	}
	if digest := v.chain.sum(); digest != batch.digest && damaged == len(v.report.Damages)+v.report.MoreDamages {
		v.damage(batch.first, 0, fmt.Sprintf("the batch of events %d to %d has the digest %x, expected %x", batch.first, batch.last, digest, batch.digest))
	}
	v.chain.next(batch.digest)
	if v.broken == nil {
		v.report.ValidTo, v.report.Head = batch.last, batch.digest
	}
}

func (v *verification) verifyEvent(event *Event, expected Seq) {
	if event.Seq != expected {
		v.damage(v.batch.first, expected, fmt.Sprintf("events %d to %d are missing", expected, event.Seq-1))
	}
	for ; len(v.plans) > 0 && v.plans[0].before <= event.Seq; v.plans = v.plans[1:] {
		v.chain.addPlan(v.plans[0].before, v.plans[0].digest)
	}
	v.chain.addEvent(event)
	v.verifyOrder(event)
}

// verifyOrder checks the rules between events: run_config first, run_end last, causes before effects.
func (v *verification) verifyOrder(event *Event) {
	if event.Seq == 1 && event.Kind != KindRunConfig {
		v.violation(v.batch.first, 1, fmt.Sprintf("the first event is a %v, expected run_config", event.Kind))
	}
	if event.Seq != 1 && event.Kind == KindRunConfig {
		v.violation(v.batch.first, event.Seq, "a second run_config")
	}
	if !v.kinds[event.Kind] {
		v.violation(v.batch.first, event.Seq, fmt.Sprintf("kind %d is not in the table kinds", int(event.Kind)))
	}
	if err := v.r.unpacker.unpack(event); err != nil {
		v.violation(v.batch.first, event.Seq, err.Error())
	}
	if event.Cause < 0 || event.Cause >= event.Seq {
		v.violation(v.batch.first, event.Seq, fmt.Sprintf("its cause, %d, is not an earlier event", event.Cause))
	}
	if v.report.End != nil {
		v.violation(v.batch.first, event.Seq, fmt.Sprintf("a %v after the closing event", event.Kind))
	}
	if event.Kind == KindRunEnd {
		end, err := Decode[RunEnd](*event)
		if err != nil {
			v.violation(v.batch.first, event.Seq, err.Error())
		}
		v.report.End = &end
	}
}
