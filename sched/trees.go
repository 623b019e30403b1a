package sched

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// newTree opens a play on a lane: it mints the marker and tells the log; streams come after it.
func (m *Machine) newTree(l *lane, r *recording, kind TreeKind) *tree {
	t := &tree{id: m.plays, lane: l, plan: r, kind: kind}
	m.plays++
	l.tree = t
	t.done = make([]int32, len(r.conversations))
	t.voidFrom = make([]int32, len(r.conversations))
	for c := range r.conversations {
		t.voidFrom[c] = int32(len(r.conversations[c].turns))
	}
	t.branches = make([]branchState, len(r.branches))
	return t
}

// announce tells the log of a new tree, and gives it its marker and its URL.
func (m *Machine) announce(t *tree) {
	pass := m.passes[t.plan.index]
	m.passes[t.plan.index]++
	if m.config.CacheBust.mints() {
		t.marker = Marker(m.config.BenchmarkID, pass, t.lane.id, t.plan.trace)
	}
	if m.config.URLScope == URLPerTree {
		t.url = m.drawURL()
	}
	open := &TreeOpen{Phase: m.phase.phase, Plan: t.plan.index, Trace: t.plan.trace, Kind: t.kind, Pass: pass, Marker: t.marker}
	if t.hasOrigin {
		open.OriginNs = &t.originNs
	}
	m.emit(KindTreeOpen, t, open)
}

// Marker is the cache-bust digest of a tree: 12 hex digits of SHA-256 over benchmark id, pass, lane
// and trace (6.6).
func Marker(benchmarkID string, pass int, lane LaneID, trace string) string {
	base, _, _ := strings.Cut(trace, "::")
	digest := sha256.Sum256([]byte(benchmarkID + ":" + strconv.Itoa(pass) + ":" + strconv.Itoa(int(lane)) + ":" + base))
	return hex.EncodeToString(digest[:6])
}

// drawURL takes the next server URL in turn (11.3).
func (m *Machine) drawURL() int {
	url := m.urls % m.config.URLCount
	m.urls++
	return url
}

// openSnapshotTree opens a lane's first tree as it stands at t*.
func (m *Machine) openSnapshotTree(l *lane) {
	built := l.built
	kind := TreeRootless
	if first := &built.states[0]; first.conversation == 0 {
		kind = TreeFull
		if first.waiting {
			kind = TreeWaitingRoot
		}
	}
	t := m.newTree(l, built.plan, kind)
	t.hasOrigin, t.originNs = built.timed, built.tStarNs
	m.announce(t)
	for _, boundary := range built.boundaries {
		t.done[boundary.Conversation] = int32(boundary.Turns)
	}
	for b, fired := range built.fired {
		t.branches[b].started = fired
	}
	t.rootDone = kind == TreeRootless
	for _, state := range built.states {
		s := m.openStream(t, state.conversation, state.next, OriginSnapshot, 0, 0)
		s.offset, s.waiting = state.offsetNs, state.waiting
	}
}

// openStream begins a stream of a tree at the given turn; children are registered with their branch.
func (m *Machine) openStream(t *tree, conv, next int, origin StreamOrigin, spawn, offset int64) *stream {
	s := &stream{id: m.streams, tree: t, conv: conv, rec: &t.plan.conversations[conv], next: next, url: t.url, heapIndex: None}
	m.streams++
	if m.config.URLScope == URLPerStream {
		s.url = m.drawURL()
	}
	t.streams = append(t.streams, s)
	open := &StreamOpen{
		Conversation: conv, ID: s.rec.id, Depth: s.rec.depth, Parent: None, Turns: len(s.rec.turns), Next: next,
		Origin: origin, Branch: s.rec.branch, Join: None, SpawnNs: spawn, OffsetNs: offset, URL: s.url,
	}
	if conv == 0 {
		t.root = s
	} else {
		open.Join = t.plan.branches[s.rec.branch].joinTurn
		t.branches[s.rec.branch].open++
		t.outstanding++
		if t.root != nil {
			open.Parent = t.root.id
		}
	}
	m.emitStream(KindStreamOpen, s, open)
	return s
}

func (t *tree) streamOf(conv int) *stream {
	for _, s := range t.streams {
		if s.conv == conv {
			return s
		}
	}
	return nil
}

// testDrain ends a tree whose root is done and whose children have all finished, and lets its lane go
// on (6.1). An aborted tree ends with its last request.
func (m *Machine) testDrain(t *tree) {
	if t.drained || !t.rootDone && !t.aborted || t.outstanding > 0 || t.inFlight > 0 {
		return
	}
	t.drained = true
	m.emit(KindTreeDrained, t, &TreeDrained{})
	m.closeTree(t)
	m.recycleAfter(t)
}

// closeTree frees the lane.
func (m *Machine) closeTree(t *tree) {
	t.lane.tree = nil
	t.lane.hasWatch = false
}
