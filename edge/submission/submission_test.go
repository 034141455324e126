package submission_test

import (
	"testing"

	"kindex/edge/submission"
)

func TestIdentity(t *testing.T) {
	one := submission.Identity("Fine Tool", "https://fine.example/tool")
	for _, c := range []struct {
		name, url string
		same      bool
	}{
		{"fine  tool", "http://www.fine.example/tool/", true},
		{"Fine\u00a0Tool", "https://fine.example:443/tool", true},
		{"FineTool", "https://fine.example/tool", false},
		{"Fine Tool", "https://fine.example/tools", false},
		{"Fine", "Tool https://fine.example/tool", false},
	} {
		if got := submission.Identity(c.name, c.url) == one; got != c.same {
			t.Errorf("%q %s: same: %v", c.name, c.url, got)
		}
	}
}
