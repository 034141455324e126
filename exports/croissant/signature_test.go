package croissant_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/croissant"
	"kindex/exports/kinds"
	"kindex/exports/sign"
)

// TestDescribeSignature describes builds that are signed: the description says whether the
// signature was verified.
func TestDescribeSignature(t *testing.T) {
	for _, c := range []struct {
		signature sign.Signature
		want      string
	}{
		{sign.Signature{Key: "example.org+0123abcd", Counter: 3, Statement: "kindex build v2\n"}, "(not verified by this service)"},
		{sign.Signature{Key: "example.org+0123abcd", Counter: 3, Statement: "kindex build v2\n", Verified: true}, "(verified by this service); it is number 3 that was signed with it."},
	} {
		doc := suite.Must(croissant.Describe(manifest(), kinds.Default(), "https://kindex.example.org", &c.signature))(t)
		for _, v := range violations(doc) {
			t.Error(v)
		}
		var d struct {
			SubjectOf struct{ Description, Identifier, Text string }
		}
		suite.Check(t, json.Unmarshal(doc, &d))
		if s := d.SubjectOf; !strings.Contains(s.Description, c.want) || s.Identifier != c.signature.Key || s.Text != c.signature.Statement {
			t.Errorf("%+v, want %q", s, c.want)
		}
	}
}
