package suite

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
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

// Err returns the error of a call whose value a test does not need, for Is and Fails.
func Err[T any](_ T, err error) error { return err }

// Check ends a test if there was an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Done ends a test if there was an error, or if nothing was done:
//
//	suite.Done(state.MoveSubmission(ctx, id, to, change))(t)
func Done(done bool, err error) func(testing.TB) {
	return func(t testing.TB) {
		t.Helper()
		if Check(t, err); !done {
			t.Fatal("it was not done")
		}
	}
}

// Holds reports an error if a condition does not hold. The message has the given values.
func Holds(t testing.TB, ok bool, values ...any) {
	t.Helper()
	if !ok {
		t.Errorf("the condition does not hold: %+v", values)
	}
}

// Require is like Holds, but ends the test.
func Require(t testing.TB, ok bool, values ...any) {
	t.Helper()
	if !ok {
		t.Fatalf("the condition does not hold: %+v", values)
	}
}

// Equal reports an error if a value is not the wanted one. An empty slice or map equals a nil one. The
// message begins with what the value is.
func Equal[T any](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if v, w := reflect.ValueOf(got), reflect.ValueOf(want); v.IsValid() && (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len()+w.Len() == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		format := "%s: got %+v, want %+v"
		if _, ok := any(got).([]byte); ok {
			format = "%s: got\n%s\nwant\n%s"
		}
		t.Errorf(format, about(what), got, want)
	}
}

// Contains reports an error if a text does not contain a part.
func Contains(t testing.TB, text, part string, what ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: no %q in\n%s", about(what), part, text)
	}
}

// Lacks reports an error if a text contains a part.
func Lacks(t testing.TB, text, part string, what ...any) {
	t.Helper()
	if strings.Contains(text, part) {
		t.Errorf("%s: %q is in\n%s", about(what), part, text)
	}
}

// ContainsAll reports the parts that a text does not contain, and LacksAll those that it contains.
func ContainsAll(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		Contains(t, text, part)
	}
}

func LacksAll(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		Lacks(t, text, part)
	}
}

// Is reports an error if errors.Is(err, target) is false.
func Is(t testing.TB, err, target error, what ...any) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: the error is %v, want %v", about(what), err, target)
	}
}

// Fails reports an error if there was none, or if it does not say some words.
func Fails(t testing.TB, err error, says string, what ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: the error is %v, want one with %q", about(what), err, says)
	}
}

func about(what []any) string { return strings.TrimSpace(fmt.Sprintln(what...)) }

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

// Log is a log that a test can read while a program writes it.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
