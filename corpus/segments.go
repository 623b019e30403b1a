package corpus

// segment is a piece of a conversation's prompt with one author. The segments of a prompt tile its
// blocks; only the last one may carry fills and a tail, text without ids that belongs to one turn.
type segment struct {
	role         Role
	start, count int // blocks of the prompt
	fills        int // windows without id after the blocks
	tail         int // tokens after them, less than a block
	turn         int // turn that fills and tail belong to
	mark         int // k+1: the tool result of turn k (spec reconstruction 5.9), 0: none
}

// bare reports whether the segment has nothing but blocks.
func (s *segment) bare() bool { return s.fills == 0 && s.tail == 0 }

// truncate cuts the prompt back to its first keep blocks. It returns the first segment that is no
// longer what it was, −1 if none is (spec reconstruction 5.5).
func truncate(segments []segment, keep int) (left []segment, disturbed int) {
	if keep <= 0 {
		if len(segments) == 0 {
			return segments, -1
		}
		return segments[:0], 0
	}
	for i := range segments {
		s := &segments[i]
		end := s.start + s.count
		switch {
		case end < keep:
			continue
		case end == keep:
			disturbed = -1
			if !s.bare() {
				s.fills, s.tail = 0, 0
				disturbed = i
			} else if i+1 < len(segments) {
				disturbed = i + 1
			}
			return segments[:i+1], disturbed
		case s.start >= keep:
			return segments[:i], i
		}
		s.count, s.fills, s.tail = keep-s.start, 0, 0
		return segments[:i+1], i
	}
	return segments, -1
}

// shape is how a turn's id list and input length meet (spec reconstruction 5.3, 5.4).
type shape struct {
	covered int // blocks that the ids fill
	shared  int // of these, blocks in common with the turn before
	fresh   int // of these, blocks that are new
	fills   int // full windows without id
	tail    int // tokens after the last full window
}

// bareEnd reports whether the prompt ends with a block that has an id.
func (s *shape) bareEnd() bool { return s.fills == 0 && s.tail == 0 }

// coveredBlocks is the number of leading ids that are full windows of the request's input.
func coveredBlocks(r *Request, blockSize int) int {
	return int(min(int64(len(r.Blocks)), r.In/int64(blockSize)))
}

// shapes measures every turn of a conversation. Blocks are shared with the turn before only as far as
// both have them in full (decision 7, Q-05).
func shapes(calls []call, blockSize int) []shape {
	result := make([]shape, len(calls))
	for k := range calls {
		request := calls[k].Request
		full := request.In / int64(blockSize)
		s := &result[k]
		s.covered = coveredBlocks(request, blockSize)
		s.fills = int(full) - s.covered
		s.tail = int(request.In % int64(blockSize))
		if k > 0 {
			before := calls[k-1].Request
			s.shared = min(commonPrefix(before.Blocks, request.Blocks), result[k-1].covered, s.covered)
		}
		s.fresh = s.covered - s.shared
	}
	return result
}

// noCap is the planning cap of a turn without one.
const noCap = int(^uint(0) >> 1)

// planningCaps limits the assistant blocks of turns that a later turn cuts back without adding
// anything, so that the block it ends on is the user's (spec reconstruction 5.6).
func planningCaps(shapes []shape) []int {
	caps := make([]int, len(shapes))
	var tile []run
	for k := range shapes {
		s := &shapes[k]
		caps[k] = noCap
		for len(tile) > 0 && startOf(tile) >= s.shared {
			tile = tile[:len(tile)-1]
		}
		if len(tile) > 0 { // so shared > 0, and k > 0
			last := &tile[len(tile)-1]
			last.end = s.shared
			bound := s.shared - 1 - shapes[last.turn].shared
			if s.fresh == 0 && s.bareEnd() && last.turn != 0 && bound >= 0 {
				caps[last.turn] = min(caps[last.turn], bound)
			}
		}
		if s.fresh > 0 {
			tile = append(tile, run{k, s.covered})
		}
	}
	return caps
}

// run is a stretch of the prompt's blocks that one turn brought; it ends before block end.
type run struct{ turn, end int }

// startOf is the first block of the last run.
func startOf(tile []run) int {
	if len(tile) == 1 {
		return 0
	}
	return tile[len(tile)-2].end
}
