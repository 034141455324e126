package audit_test

import (
	"flag"
	"testing"
)

var screenshots = flag.String("screenshots", "", "a folder for pictures of the main pages; then they alone are made")

// TestWebsite looks at one website in every way.
func TestWebsite(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	t.Parallel()
	w := serve(t, build(t), false)
	if *screenshots != "" {
		w.shoot(t, *screenshots)
		return
	}
	for name, test := range map[string]func(*testing.T){
		"crawl": w.crawlAll, "looks": w.looks, "axe looks": w.axeLooks, "keyboard": w.byKeyboard, "find": w.findsByKeyboard, "theme": w.switchesTheme, "slider": w.goesBackInTime, "suggestions": w.closesSuggestions, "budgets": w.budgets,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}
