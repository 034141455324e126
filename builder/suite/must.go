package suite

import "testing"

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
