package audit_test

import "testing"

// TestWebsite looks at one website in every way.
func TestWebsite(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: make test runs it")
	}
	w := serve(t, build(t))
	for name, test := range map[string]func(*testing.T){
		"crawl": w.crawlAll, "looks": w.looks, "axe looks": w.axeLooks, "keyboard": w.byKeyboard, "find": w.findsByKeyboard, "theme": w.switchesTheme,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}
