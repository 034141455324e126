// Package parallel divides work among goroutines.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// Panic is the value with which Do panics if a call has panicked.
type Panic struct {
	Cause any    // the value of that panic
	Stack []byte // of that goroutine
}

func (p *Panic) Error() string { return fmt.Sprint(p.Cause) }

// Stack returns the stack of a recovered panic: that of the goroutine that panicked in a call of Do, or else that of the
// caller.
func Stack(cause any) []byte {
	if p, ok := cause.(*Panic); ok {
		return p.Stack
	}
	return debug.Stack()
}

// Do calls work once for each worker, concurrently, and waits until all calls have ended. The calling
// goroutine is worker 0. If calls panic, Do panics with a *Panic for one of them.
func Do(workers int, work func(w int)) {
	if workers < 1 {
		return
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var cause *Panic
	call := func(w int) {
		defer func() {
			if r := recover(); r != nil {
				mu.Lock()
				defer mu.Unlock()
				if cause == nil {
					cause = &Panic{r, debug.Stack()}
				}
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

// Each calls work for the numbers below n as Ranges does, and returns the error of the lowest number for which it failed.
func Each(n int, work func(i int) error) error {
	errs := make([]error, n)
	Ranges(n, func(from, to int) {
		for i := from; i < to; i++ {
			errs[i] = work(i)
		}
	})
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// Ranges divides the numbers below n into up to four ranges per processor, and calls work for each
// range. It otherwise works like Do.
func Ranges(n int, work func(from, to int)) {
	parts := min(n, 4*runtime.GOMAXPROCS(0))
	Do(parts, func(i int) { work(i*n/parts, (i+1)*n/parts) })
}
