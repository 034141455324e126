package nearest

import "testing"

func TestName(t *testing.T) {
	known := []string{"limit", "name", "category", "tool", "model", "minScore", "ab"}
	for word, want := range map[string]string{
		"limt": "limit", "ilmit": "limit", "nmae": "name", "LIMIT": "limit", "categry": "category", "cat": "category",
		"tools": "tool", "minscore": "minScore", "xyz": "", "": "", "q": "", "abc": "ab", "li": "",
		"limitlimitlimit": "limit",
	} {
		if got := Name(word, known); got != want {
			t.Errorf("Name(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Names("modl", []string{"model", "modal", "mode", "module"}, 2); len(got) != 2 || got[0] != "modal" && got[0] != "mode" && got[0] != "model" {
		t.Errorf("%v", got)
	}
}
