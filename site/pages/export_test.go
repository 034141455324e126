package pages

// Patterns returns the patterns of all routes.
func Patterns() (list []string) {
	for _, r := range routes {
		list = append(list, r.pattern)
	}
	return list
}
