package prep

import (
	"strings"
	"sync"
)

// watched is a writer that tells when a text has been written.
type watched struct {
	mu   sync.Mutex
	all  strings.Builder
	want string
	once sync.Once
	seen chan struct{}
}

func newWatched(want string) *watched { return &watched{want: want, seen: make(chan struct{})} }

func (w *watched) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(data)
	if strings.Contains(w.all.String(), w.want) {
		w.once.Do(func() { close(w.seen) })
	}
	return len(data), nil
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}
