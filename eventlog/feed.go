package eventlog

import "slices"

// feed hands the rows that one pass over a log reads to the check beside it. Both only look at them.
type feed struct {
	pages  chan []Event // as they are stored, in order; closed after the last one that is read
	spare  chan []Event // pages that were looked at, to be filled again
	chosen []Event      // of the page that was read last
	held   map[Kind]bool
}

// pagesBeside is how many pages the check may be behind.
const pagesBeside = 2

// CheckBeside begins CheckChain on a connection of its own. The next Events over the whole log, whatever kinds are
// chosen, hands it all rows, so that they are read once for both; rows that this pass leaves out, as it ends
// early, the check reads itself, and all of them where result is called before there was any pass. result waits
// for the pass and the check; it is to be called once. Only for a log that was closed in order: nobody adds to it
// meanwhile.
func (r *Reader) CheckBeside() (result func() (*Report, error)) {
	f := &feed{pages: make(chan []Event, pagesBeside), spare: make(chan []Event, pagesBeside+1), held: map[Kind]bool{}}
	r.mu.Lock()
	r.fed = f
	r.mu.Unlock()
	var report *Report
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, err = f.check(r.path)
		for range f.pages { // the pass goes on, whatever was found
		}
	}()
	return func() (*Report, error) {
		if r.takeFeed(Filter{}) != nil {
			close(f.pages)
		}
		<-done
		return report, err
	}
}

// takeFeed gives the feed to the first pass over the whole log; nil to all others.
func (r *Reader) takeFeed(filter Filter) *feed {
	if filter.From > 1 || filter.To != 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.fed
	r.fed = nil
	return f
}

// lacks tells that the log is known to have none of the kinds, so that nobody looks through it for them.
func (r *Reader) lacks(kinds []Kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held != nil && len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind Kind) bool { return r.held[kind] })
}

func (f *feed) check(path string) (*Report, error) {
	r, err := OpenUnverified(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.check(func(v *verification) { v.rows = &fedRows{feed: f, own: v.scan} }), nil
}

// empty is a page to fill.
func (f *feed) empty() []Event {
	select {
	case page := <-f.spare:
		return page
	default:
		return make([]Event, 0, pageRows)
	}
}

// share hands a page over as it is, and gives a copy of the chosen rows.
func (f *feed) share(page []Event, kinds []Kind) []Event {
	f.chosen = f.chosen[:0]
	for i := range page {
		f.held[page[i].Kind] = true
		if len(kinds) == 0 || slices.Contains(kinds, page[i].Kind) {
			f.chosen = append(f.chosen, page[i])
		}
	}
	f.pages <- page
	return f.chosen
}

// fedRows gives a check the rows that a pass reads. What the pass does not give, or not in the order of the
// batches, comes from the check's own scan.
type fedRows struct {
	feed   *feed
	page   []Event
	next   int // in page
	at, to Seq
	left   bool // for the own scan
	own    *scan
}

func (f *fedRows) seek(from, to Seq) { f.at, f.to = max(from, 1), to }

func (f *fedRows) each(yield func(Event, error) bool) {
	for !f.left && f.at <= f.to {
		if f.next == len(f.page) {
			f.turn()
			continue
		}
		event := &f.page[f.next]
		if event.Seq > f.to {
			return
		}
		if f.left = event.Seq < f.at; f.left {
			break
		}
		f.next, f.at = f.next+1, event.Seq+1
		if !yield(*event, nil) {
			return
		}
	}
	if f.left {
		f.own.seek(f.at, f.to)
		f.own.each(yield)
	}
}

// turn goes on to the next page.
func (f *fedRows) turn() {
	if f.page != nil {
		clear(f.page)
		select {
		case f.feed.spare <- f.page[:0]:
		default:
		}
	}
	page, ok := <-f.feed.pages
	f.page, f.next, f.left = page, 0, !ok
}
