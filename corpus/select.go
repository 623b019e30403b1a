package corpus

import "fmt"

// Selection tells which traces of a corpus are used and what became of the others (spec
// reconstruction 2). The lists hold indices into the summaries, in their order.
type Selection struct {
	Scanned       int     `json:"scanned"` // traces looked at; scanning stops when enough are kept
	Kept          []int   `json:"kept"`
	NothingToSend []int   `json:"nothing_to_send"` // no top-level request (decision 7, Q-12)
	TooLong       []int   `json:"too_long"`        // peak over max_context_length
	OverISL       []int   `json:"over_isl"`        // an input over max_isl (decision 7, Q-18)
	SmallestPeak  int64   `json:"smallest_peak"`   // tokens, over the scanned traces that have requests
	SmallestTrace TraceID `json:"smallest_trace"`
	LargestPeak   int64   `json:"largest_peak"`
	LargestTrace  TraceID `json:"largest_trace"`
}

// Select filters, then caps: traces with nothing to send and traces over a limit do not count for
// num_dataset_entries. An empty result is an error that names the smallest peak and its trace.
func Select(summaries []Summary, options Options) (Selection, error) {
	var selection Selection
	for i, summary := range summaries {
		if options.NumDatasetEntries > 0 && len(selection.Kept) == options.NumDatasetEntries {
			break
		}
		selection.Scanned++
		if summary.RootTurns == 0 {
			selection.NothingToSend = append(selection.NothingToSend, i)
			continue
		}
		selection.notePeak(summary)
		switch {
		case options.MaxContextLength > 0 && summary.PeakContext > options.MaxContextLength:
			selection.TooLong = append(selection.TooLong, i)
		case options.MaxISL > 0 && summary.PeakIn > options.MaxISL:
			selection.OverISL = append(selection.OverISL, i)
		default:
			selection.Kept = append(selection.Kept, i)
		}
	}
	if len(selection.Kept) == 0 {
		return selection, selection.empty(options)
	}
	return selection, nil
}

func (s *Selection) notePeak(summary Summary) {
	if s.SmallestTrace == "" || summary.PeakContext < s.SmallestPeak {
		s.SmallestPeak, s.SmallestTrace = summary.PeakContext, summary.Trace
	}
	if summary.PeakContext > s.LargestPeak {
		s.LargestPeak, s.LargestTrace = summary.PeakContext, summary.Trace
	}
}

// empty is the error of a corpus of which no trace is left.
func (s *Selection) empty(options Options) error {
	if s.Scanned == len(s.NothingToSend) {
		return fmt.Errorf("0 requests to send: %d traces scanned, none has a top-level request", s.Scanned)
	}
	if len(s.TooLong) == 0 {
		return fmt.Errorf("no trace is left: %d scanned, kept 0, %d have an input over max-isl %d; raise it",
			s.Scanned, len(s.OverISL), options.MaxISL)
	}
	return fmt.Errorf("no trace is left: %d scanned, kept 0, limit %d (max-context-length), num-dataset-entries %d; "+
		"smallest peak %d (in + out sent) is trace %s: raise the limit to at least that",
		s.Scanned, options.MaxContextLength, options.NumDatasetEntries, s.SmallestPeak, s.SmallestTrace)
}
