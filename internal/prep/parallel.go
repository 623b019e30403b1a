package prep

import (
	"context"
	"sync"
)

// forEach calls work for every index in order, on so many goroutines, and waits for them. It stops
// handing out work at the first error or when ctx ends. Of several errors it returns that of the lowest
// index, so that the same fault is reported whatever the number of workers.
func forEach(ctx context.Context, workers int, order []int, work func(index int) error) error {
	var (
		mu     sync.Mutex
		next   int
		failed = -1
		first  error
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(order) || first != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return order[next-1], true
	}
	var wait sync.WaitGroup
	for range min(workers, len(order)) {
		wait.Go(func() {
			for {
				index, ok := take()
				if !ok {
					return
				}
				if err := work(index); err != nil {
					mu.Lock()
					if failed < 0 || index < failed {
						failed, first = index, err
					}
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	if first != nil {
		return first
	}
	return classed(Interrupted, ctx.Err())
}
