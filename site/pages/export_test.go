package pages

// For the tests of this package.
var SlugKey = slugKey

// Patterns are those of all routes.
func Patterns() (list []string) {
	for _, r := range routes {
		list = append(list, r.pattern)
	}
	return list
}
