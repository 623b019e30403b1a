package report

import (
	"fmt"
	"strconv"

	"agentx/internal/measure"
)

// appender is a value that writes itself as JSON.
type appender interface {
	appendJSON(to []byte) ([]byte, error)
}

// recordMetrics writes all metrics that have one value for a record, in display units, and the gaps between
// its chunks where they are asked for. It is used again for each record: the two record files have sixty
// metrics a line, and objects for them were most of what an export had to collect.
type recordMetrics struct {
	basis   *measure.Basis
	metrics []recordMetric
	own     bool // our own metrics, otherwise the peer's, which only valid records have
	gaps    bool
	record  *measure.Record
}

// recordMetric is a metric with what stands before and behind its value in a file.
type recordMetric struct {
	*measure.Definition
	before, behind string
}

func newRecordMetrics(basis *measure.Basis, own, gaps bool) *recordMetrics {
	m := &recordMetrics{basis: basis, own: own, gaps: gaps}
	for _, d := range measure.Definitions() {
		if d.Own == own && d.Family != measure.FamilyAdjusted {
			m.metrics = append(m.metrics, recordMetric{d, fmt.Sprintf(`%q:{"value":`, d.Tag), fmt.Sprintf(`,"unit":%q}`, d.Unit)})
		}
	}
	return m
}

// of is the value for a record; it is to be written before the next call.
func (m *recordMetrics) of(r *measure.Record) appender {
	m.record = r
	return m
}

func (m *recordMetrics) appendJSON(to []byte) ([]byte, error) {
	r, separator := m.record, byte('{')
	for i := range m.metrics {
		metric := &m.metrics[i]
		value, ok := metric.Value(r, m.basis)
		if !ok || !m.own && !r.Valid() {
			continue
		}
		to = append(append(to, separator), metric.before...)
		separator = ','
		var err error
		if to, err = encodeNumber(to, value); err != nil {
			return nil, fmt.Errorf("%s: %w", metric.Tag, err)
		}
		to = append(to, metric.behind...)
	}
	if m.gaps && r.Valid() && r.Streams && r.Trail.Len() >= 2 {
		to = appendGaps(append(append(to, separator), `"inter_chunk_latency":{"value":`...), r)
		to = append(to, `,"unit":"ms"}`...)
		separator = ','
	}
	if separator == '{' {
		to = append(to, '{')
	}
	return append(to, '}'), nil
}

// appendGaps writes the gaps between the chunks of an answer, in ms.
func appendGaps(to []byte, r *measure.Record) []byte {
	separator := byte('[')
	for ns := range r.Trail.Gaps() {
		to = appendMs(append(to, separator), ns)
		separator = ','
	}
	return append(to, ']')
}

// exactNs bounds the numbers that appendMs writes by itself: with at most 15 digits, a decimal fraction is the
// shortest that reads back as the float64 next to it, and so is what encodeNumber gives for it.
const exactNs = 1e15

// appendMs writes nanoseconds in ms, just as encodeNumber writes float64(ns)/1e6, in a quarter of its time.
func appendMs(to []byte, ns int64) []byte {
	if ns <= -exactNs || ns >= exactNs {
		return strconv.AppendFloat(to, float64(ns)/1e6, 'f', -1, 64)
	}
	if ns < 0 {
		to, ns = append(to, '-'), -ns
	}
	to = strconv.AppendInt(to, ns/1e6, 10)
	rest := ns % 1e6
	if rest == 0 {
		return to
	}
	digits := [7]byte{'.'}
	for i := 6; i > 0; i-- {
		digits[i] = byte('0' + rest%10)
		rest /= 10
	}
	last := len(digits)
	for digits[last-1] == '0' {
		last--
	}
	return append(to, digits[:last]...)
}
