package suite

import (
	"testing"
	"time"
)

// Must ends a test if there was an error, and otherwise returns the value:
//
//	file := suite.Must(os.Open(name))(t)
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Check(t, err)
		return value
	}
}

// Check ends a test if there was an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patience is how long a test waits for something that must happen. It only catches hangs.
const patience = 3 * time.Minute

// Eventually waits until a condition is true.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatalf("never: %s", what)
		}
	}
}
