// Package plural formats counts with their nouns: 1 file, 2 files.
package plural

import "fmt"

// Count returns a number with its noun: one if n is 1, many otherwise.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
