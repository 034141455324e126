package edge

import (
	"fmt"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/record"
)

// TestSubmittedFacts: identifiers, namespaces and successors of a submission are checked against
// the served build, edits included.
func TestSubmittedFacts(t *testing.T) {
	suite.InTest(t)
	onEveryEngine(t, 1, func(t *testing.T, edges []*served) {
		s := edges[0]
		o, _, ok := s.published().Build.Find("tool", "n1")
		if !ok {
			t.Fatal("no tool/n1")
		}
		e := s.published().Build.Entity(o)
		edited := *e
		edited.IDs = []record.ID{{Namespace: "github", Value: "a/b"}, {Namespace: "pypi", Value: "Its.Package"}}
		s.Preview([]exports.Edit{{Type: "tool", Slug: "n1", Entity: &edited}})
		secret, _ := s.newKey(t, "ada")
		body := func(members string) string {
			return strings.TrimSuffix(submissionBody("fresh", "Fresh", "https://fresh.example/"), "}") + "," + members + "}"
		}
		refused := s.post(t, secret.Reveal(), body(`"ids":{"pypi":"its-package","gitlub":"a/b"},"lifecycle":{"replacedBy":"tool/none"}`), 400)
		want := `[{ids.gitlub unknown namespace; kinds.yaml can declare it (did you mean "github"?)} ` +
			`{ids.pypi "its-package" is also an identifier of tool/n1} {lifecycle.replacedBy "tool/none" does not exist}]`
		if got := fmt.Sprint(refused.Errors); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		s.post(t, secret.Reveal(), body(`"ids":{"github":"a/b","pypi":"another"},"lifecycle":{"replacedBy":"tool/n1"}`), 201)
	})
}
