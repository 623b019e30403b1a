package watch

import (
	"fmt"

	"agentx/internal/promtext"
)

// server is what the last metrics page of an endpoint said. Pages are unpacked when they are shown: of a
// finished log only the last one is.
type server struct {
	page    []byte // as the log has it; nil once it was read
	facts   promtext.Facts
	atNs    int64
	failed  int
	fetches int
	err     string
}

func (s *server) read() promtext.Facts {
	if len(s.page) == 0 {
		return s.facts
	}
	page, err := promtext.Unpack(s.page)
	s.page = nil
	if err != nil {
		s.err = fmt.Sprintf("its last page cannot be read: %v", err)
		return s.facts
	}
	parsed, _, _ := promtext.Parse(page) // lines that cannot be read say nothing
	s.facts = parsed.Facts()
	return s.facts
}
