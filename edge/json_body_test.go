package edge_test

import (
	"bytes"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/web"
)

// FuzzReadMembers checks that the short cut for flat objects accepts nothing that the strict
// check refuses: with a nested member, which rules the short cut out, the object is accepted too.
func FuzzReadMembers(f *testing.F) {
	for _, s := range []string{
		`{"ids":["a","b\\\"c",1,null,[[]]]}`, `{"a":1,"a":2}`, `{"a/":1,"a\/":2}`, `{"a":{"b":1,"b":2}}`, `{"a":"\ud800"}`, `{"a":"\u0000"}`,
		`{"a":":{[","b\":":2}`, "{\"a\":\"\xff\"}", `{"a":"�"}`, `{} {}`, `null`, `[]`, `{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, err := web.ReadMembers(body)
		if err != nil || len(members) == 0 || members["nested member"] != nil {
			return
		}
		nested := bytes.Replace(body, []byte("{"), []byte(`{"nested member":{},`), 1)
		suite.Equal(t, len(suite.Must(web.ReadMembers(nested))(t)), len(members)+1, body, "is accepted", nested)
	})
}
