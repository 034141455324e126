package audit_test

import (
	"flag"
	"testing"

	"kindex/builder/suite"
)

var (
	screenshots = flag.String("screenshots", "", "a folder for pictures of the main pages; then they alone are made")
	pictured    = flag.String("content", "", "the content folder for the pictures")
)

// TestWebsite runs all checks on the website of an edge.
func TestWebsite(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	if *screenshots != "" {
		serve(t, shipped(t, *pictured), false).shoot(t, *screenshots)
		return
	}
	w := serve(t, whole.build(t), false)
	together(t, map[string]func(*testing.T){
		"crawl": w.crawlAll, "looks": w.looks, "keyboard": w.byKeyboard, "theme": w.switchesTheme,
		"menu": w.menuFits, "small screens": w.readsOnSmallScreens, "budgets": w.budgets,
	})
}

// TestFiles runs all checks on a static site.
func TestFiles(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	w := part.file(t)
	together(t, map[string]func(*testing.T){
		"crawl": w.crawlAll, "looks": w.looks, "keyboard": w.byKeyboard, "budgets": w.budgets,
		"comparison": w.comparesAlike, "sorting": w.sortsRows, "bounds": w.boundsRequests,
	})
}

// together runs tests in parallel.
func together(t *testing.T, tests map[string]func(*testing.T)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}
