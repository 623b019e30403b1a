package measure

// criticalPath walks back from the last end among the records of one tree.
func criticalPath(run *Run, records []*Record) CriticalPath {
	index := map[turnKey]*Record{}
	joined := map[turnKey][]int{} // streams that a turn waits for
	var last *Record
	seen := map[int]bool{}
	for _, r := range records {
		if !r.Times.Start.Known() {
			continue
		}
		index[turnKey{int64(r.Place.Stream), int64(r.Place.Turn)}] = r
		if last == nil || r.Over() > last.Over() {
			last = r
		}
		id := r.Place.Stream
		if s := run.streamAt(id); s != nil && !seen[id] {
			seen[id] = true
			if s.Parent >= 0 && s.Join >= 0 {
				key := turnKey{int64(s.Parent), int64(s.Join)}
				joined[key] = append(joined[key], id)
			}
		}
	}
	lasts := lastOfStreams(records)
	path := CriticalPath{}
	for r := last; r != nil; {
		path.Requests++
		path.ServerNs += int64(r.Over() - r.Times.Start)
		before := predecessor(run, r, index, joined, lasts)
		if before != nil {
			path.WaitNs += max(int64(r.Times.Start-before.Over()), 0)
		}
		r = before
	}
	return path
}

func (r *Run) streamAt(id int) *Stream {
	if id < 0 || id >= len(r.Streams) {
		return nil
	}
	return r.Streams[id]
}

func lastOfStreams(records []*Record) map[int]*Record {
	lasts := map[int]*Record{}
	for _, r := range records {
		if !r.Times.Start.Known() {
			continue
		}
		if before := lasts[r.Place.Stream]; before == nil || r.Over() > before.Over() {
			lasts[r.Place.Stream] = r
		}
	}
	return lasts
}

// predecessor is what ended last, before r started, of the requests that r had to wait for; nil for
// the first of the chain.
func predecessor(run *Run, r *Record, index map[turnKey]*Record, joined map[turnKey][]int, lasts map[int]*Record) *Record {
	key := turnKey{int64(r.Place.Stream), int64(r.Place.Turn)}
	var latest *Record
	consider := func(candidate *Record) {
		if candidate == nil || candidate.Times.Start >= r.Times.Start {
			return
		}
		if latest == nil || candidate.Over() > latest.Over() {
			latest = candidate
		}
	}
	consider(index[turnKey{key.stream, key.turn - 1}])
	for _, child := range joined[key] {
		consider(lasts[child])
	}
	s := run.streamAt(r.Place.Stream)
	if latest == nil && s != nil && s.Parent >= 0 {
		consider(spawner(r, s.Parent, index))
	}
	return latest
}

// spawner is the latest request of the parent stream that started before r: the turn that spawned it.
func spawner(r *Record, parent int, index map[turnKey]*Record) *Record {
	var latest *Record
	for key, candidate := range index {
		if key.stream != int64(parent) || candidate.Times.Start >= r.Times.Start {
			continue
		}
		if latest == nil || candidate.Times.Start > latest.Times.Start {
			latest = candidate
		}
	}
	return latest
}
