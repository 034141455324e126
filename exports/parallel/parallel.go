// Package parallel divides work among goroutines.
package parallel

import (
	"runtime"
	"sync"
)

// Do calls work once for each worker, concurrently, and waits until all calls have ended. The calling
// goroutine is worker 0. If calls panic, Do panics with the value of one of them, as if
// the caller had done the work itself.
func Do(workers int, work func(w int)) {
	if workers < 1 {
		return
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var cause any
	call := func(w int) {
		defer func() {
			if r := recover(); r != nil {
				mu.Lock()
				defer mu.Unlock()
				cause = r
			}
		}()
		work(w)
	}
	for w := range workers - 1 {
		wg.Go(func() { call(w + 1) })
	}
	call(0)
	if wg.Wait(); cause != nil {
		panic(cause)
	}
}

// Ranges divides the numbers below n into up to four ranges per processor, and calls work for each
// range. It otherwise works like Do.
func Ranges(n int, work func(from, to int)) {
	parts := min(n, 4*runtime.GOMAXPROCS(0))
	Do(parts, func(i int) { work(i*n/parts, (i+1)*n/parts) })
}
