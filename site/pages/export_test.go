package pages

// Patterns returns the patterns of all routes.
func Patterns() (list []string) {
	for _, r := range routes {
		list = append(list, r.pattern)
	}
	return list
}

// CountTagsOnce makes sites count the frequent tags only once for lists of any length, until undo
// is called.
func CountTagsOnce() (undo func()) {
	before := longList
	longList = 1
	return func() { longList = before }
}
