package web

import (
	"encoding/json"
	"testing"
)

// FuzzIsFlat checks that the strict check has no objection to an object that skips it.
func FuzzIsFlat(f *testing.F) {
	for _, s := range []string{
		`{"ids":["a","b\\\"c",1,null,[[]]]}`, `{"a":1,"a":2}`, `{"a/":1,"a\/":2}`, `{"a":{"b":1,"b":2}}`, `{"a":"\ud800"}`, `{"a":"\u0000"}`,
		`{"a":":{[","b\":":2}`, "{\"a\":\"\xff\"}", `{"a":"�"}`, `{} {}`, `null`, `[]`, `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) != nil || !isFlat(body, len(members)) {
			return
		}
		if err := checkStrictly(body); err != nil {
			t.Errorf("%q skips the check: %v", body, err)
		}
	})
}

// TestIsFlat checks that ordinary bodies skip the strict check, and others do not.
func TestIsFlat(t *testing.T) {
	for body, want := range map[string]bool{
		`{"ids":["pypi:torch","https://example.org/?a={b:[\"c\\\\\"]}"]}`: true,
		`{"name": "A", "events": [], "limit": 1e9}`:                       true,
		`{"a":1,"a":2}`:    false,
		`{"a":{}}`:         false,
		`{"a":"\u0061"}`:   false,
		"{\"a\":\"\xff\"}": false,
	} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Fatal(err)
		}
		if got := isFlat([]byte(body), len(members)); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}
