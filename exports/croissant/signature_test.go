package croissant_test

import (
	"encoding/json"
	"strings"
	"testing"

	"kindex/exports/buildlog"
	"kindex/exports/croissant"
)

// TestDescribeSignature describes builds that are signed: the description says whether the
// signature was verified.
func TestDescribeSignature(t *testing.T) {
	size := int64(5)
	for _, c := range []struct {
		signature buildlog.SignatureInfo
		want      string
	}{
		{buildlog.SignatureInfo{Key: "example.org+0123abcd", Origin: "example.org", Position: 3, Statement: "kindex build v1\n"}, "(not verified by this service)"},
		{buildlog.SignatureInfo{Key: "example.org+0123abcd", Origin: "example.org", Position: 3, Statement: "kindex build v1\n", Verified: true}, "position 3 in the log example.org."},
		{buildlog.SignatureInfo{Key: "example.org+0123abcd", Origin: "example.org", Position: 3, Statement: "kindex build v1\n", Verified: true, LogSize: &size}, "log example.org, which has 5 entries."},
	} {
		doc, err := croissant.Describe(manifest(), "https://kindex.example.org", &c.signature)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range violations(doc) {
			t.Error(v)
		}
		var d struct {
			SubjectOf struct{ Description, Identifier, Text string }
		}
		if err := json.Unmarshal(doc, &d); err != nil {
			t.Fatal(err)
		}
		if s := d.SubjectOf; !strings.Contains(s.Description, c.want) || s.Identifier != c.signature.Key || s.Text != c.signature.Statement {
			t.Errorf("%+v, want %q", s, c.want)
		}
	}
}
