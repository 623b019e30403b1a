package eventlog

import (
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// rows gives the rows of a query as text.
func (r *Reader) rows(sql string) ([]string, error) {
	var all []string
	err := r.db.query(sql, nil, func(row []driver.Value) error {
		all = append(all, fmt.Sprint(row))
		return nil
	})
	return all, err
}

func checkLog(t testing.TB, path string) *Report {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Check()
}

func TestCheckOfAWholeLog(t *testing.T) {
	path := sampleLog(t, sample{events: 200, group: 50}, Options{noSync: true})
	report := checkLog(t, path)
	if len(report.Damages) > 0 {
		t.Errorf("damage in a whole log: %v", report.Damages)
	}
	if report.Events != 204 || report.ValidTo != 204 || report.Plans != 4 || report.Interrupted() || report.End.Reason != "done" {
		t.Errorf("the report is %+v", report)
	}
	if report.Batches < 4 {
		t.Errorf("%d batches, expected one for each group at least", report.Batches)
	}
}

func TestALogWithoutClosingEventIsInterrupted(t *testing.T) {
	report := checkLog(t, sampleLog(t, sample{events: 20, group: 10, open: true}, Options{noSync: true}))
	if len(report.Damages) > 0 || !report.Interrupted() || report.ValidTo != 22 {
		t.Errorf("the report is %+v", report)
	}
}

// Every flipped byte is refused, found by Check, or harmless: then all content is as it was.
func TestEveryFlippedByteIsFoundOrHarmless(t *testing.T) {
	whole, err := os.ReadFile(sampleLog(t, sample{events: 60, group: 25}, Options{noSync: true, pageSize: 1024}))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want, err := readContent(damagedCopy(t, dir, whole, nil))
	if err != nil {
		t.Fatal(err)
	}
	step := 7 * raceFactor // every byte takes a minute
	if os.Getenv("AGENTX_LONG") != "" {
		step = 1
	}
	random := rand.New(rand.NewPCG(1, 2))
	var refused, found, harmless int
	for at := random.IntN(step); at < len(whole); at += step {
		damaged := slices.Clone(whole)
		damaged[at] ^= byte(1 + random.IntN(255))
		path := damagedCopy(t, dir, damaged, nil)
		r, err := Open(path)
		if err != nil {
			refused++
			continue
		}
		report := r.Check()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if len(report.Damages) > 0 || report.Interrupted() {
			found++
			continue
		}
		got, err := readContent(path)
		if err != nil || !sameContent(got, want) {
			t.Errorf("byte %d (page %d, byte %d of it), %#x to %#x: not found by Check, but the content differs (%v)",
				at, at/1024+1, at%1024, whole[at], damaged[at], err)
		}
		harmless++
	}
	t.Logf("%d bytes in %d flipped: %d refused at open, %d found by Check, %d harmless", refused+found+harmless, len(whole), refused, found, harmless)
	if refused == 0 || found == 0 {
		t.Error("some flips must be refused and some found")
	}
}

func sameContent(a, b content) bool {
	return slices.Equal(a.events, b.events) && slices.Equal(a.plans, b.plans) && slices.Equal(a.batches, b.batches)
}

// A file that was cut anywhere opens as a valid prefix, or is refused naming the file and a place.
func TestACutFileIsAPrefixOrRefused(t *testing.T) {
	const page = 1024
	whole, err := os.ReadFile(sampleLog(t, sample{events: 60, group: 25}, Options{pageSize: page}))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want, err := readContent(damagedCopy(t, dir, whole, nil))
	if err != nil {
		t.Fatal(err)
	}
	for start := 0; start < len(whole); start += page {
		for _, at := range []int{start, start + 1, start + page/2, start + page - 1} {
			got, err := readContent(damagedCopy(t, dir, whole[:at], nil))
			if err == nil {
				t.Errorf("cut at byte %d of %d: opens with %d of %d events as if it were closed in order", at, len(whole), len(got.events), len(want.events))
				continue
			}
			if text := err.Error(); !strings.Contains(text, "copy.db") || !strings.Contains(text, "byte") {
				t.Errorf("cut at byte %d: the error names no place: %v", at, err)
			}
		}
	}
}
