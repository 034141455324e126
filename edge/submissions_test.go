package edge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"kindex/builder/content/yamlfmt"
	"kindex/builder/suite"
	"kindex/edge/live"
	"kindex/edge/submission"
	"kindex/edge/web"
	"kindex/exports"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// submissionBody returns a valid body.
func submissionBody(slug, name, url string) string {
	return fmt.Sprintf(`{"type":"tool","slug":%q,"name":%q,"description":"Does it.","category":"alpha","url":%q}`, slug, name, url)
}

// submissionAnswer has the members of responses about submissions.
type submissionAnswer struct {
	ID, URL, Code, Detail string
	Status                any // in a problem, this is a number
	Suggestion, Reason    *string
	Similar               []struct{ Type, Slug, Name, URL string }
	Errors, Warnings      []web.FieldError
	Entity                struct{ Type, Slug, Name, URL string }
	Fields, Changes       map[string]any
	Amends                *string
	Data                  []submissionAnswer
	Count                 int
	NextCursor            *string
}

// post sends a submission, and get reads what belongs to an account.
func (s *served) post(t testing.TB, key, body string, status int) submissionAnswer {
	t.Helper()
	a, err := s.write(http.MethodPost, "/api/submit", key, body)
	return read(t, a, err, status)
}

func (s *served) own(t testing.TB, key, path string, status int) submissionAnswer {
	t.Helper()
	return read(t, s.ask(t, http.MethodGet, path, "x-api-key", key), nil, status)
}

func read(t testing.TB, a answer, err error, status int) (told submissionAnswer) {
	t.Helper()
	suite.Require(t, err == nil && a.status == status, "status", a.status, status, err)
	suite.Check(t, json.Unmarshal(a.body, &told))
	return told
}

func TestSubmission(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 3)
	secret, _ := s.newKey(t, "ada")
	key := secret.Reveal()
	made := s.post(t, key, submissionBody("number-one", "tool Number", "https://one.example/"), 201)
	suite.Holds(t, made.Status == "pending" && made.URL == s.url+"/api/submissions/"+made.ID &&
		len(made.Similar) >= 3 && made.Similar[0].URL != "", made)
	got := s.own(t, key, "/api/submissions/"+made.ID, 200)
	suite.Holds(t, got.Status == "pending" && got.Entity.Slug == "number-one" &&
		got.Fields["description"] == "Does it." && got.Fields["slug"] == nil && got.Reason == nil, got)
	for body, want := range map[string]string{
		submissionBody("n0", "x", "https://x.example/"):                          "/api/entity/tool/n0",
		submissionBody("y", "TOOL  number0", "https://y.example/"):               "",
		submissionBody("y", "Tool Number0", "http://www.example.org/tool/0"):     "/api/entity/tool/n0",
		submissionBody("number-one", "z", "https://z.example/"):                  "/api/submissions/" + made.ID,
		submissionBody("number-two", "Tool NUMBER", "http://www.one.example"):    "/api/submissions/" + made.ID,
		submissionBody("number-three", "tool Number", "https://one.example/#it"): "",
	} {
		if want == "" {
			s.post(t, key, body, 201)
		} else if p := s.post(t, key, body, 409); p.Code != "already-exists" || strings.HasPrefix(p.Detail, "Tool/") || p.Suggestion == nil || *p.Suggestion != want {
			t.Errorf("%s: %+v", body, p)
		}
	}
	wrong := s.post(t, key, `{"type":"tol","name":"x","description":"x","categry":"alpha","url":"x"}`, 400)
	var fields []string
	for _, e := range wrong.Errors {
		fields = append(fields, e.Field)
	}
	suite.Holds(t, strings.Join(fields, " ") == "category categry type url" &&
		strings.HasSuffix(wrong.Errors[1].Message, `(did you mean "category"?)`), wrong)
	twice := s.post(t, key, strings.TrimSuffix(submissionBody("fresh", "Fresh", "https://fresh.example/"), "}")+`,"rows":5}`, 400)
	suite.Holds(t, len(twice.Errors) > 0 && !strings.Contains(twice.Detail, "rows, rows"), twice)
	// Identifiers and successors are checked against the served build, edits included.
	o, _, _ := s.published().Build.Find("tool", "n1")
	edited := *s.published().Build.Entity(o)
	edited.IDs = []record.ID{{Namespace: "pypi", Value: "Its.Package"}}
	s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "n1", Entity: &edited}})
	refused := s.post(t, key, strings.TrimSuffix(submissionBody("fresh", "Fresh", "https://fresh.example/"), "}")+`,"ids":{"pypi":"its-package"},"lifecycle":{"replacedBy":"tool/none"}}`, 400)
	suite.Equal(t, fmt.Sprint(refused.Errors), `[{ids.pypi "its-package" is also an identifier of tool/n1 } {lifecycle.replacedBy "tool/none" does not exist }]`)
	// A package that follows from a link can be that of several entities, which are probably the same.
	edited.IDs, edited.Links = []record.ID{{Namespace: "pypi", Value: "its-package"}}, []record.Link{{Name: "package", URL: "https://pypi.org/project/its-package/"}}
	s.ApplyEdits([]exports.Edit{{Type: "tool", Slug: "n1", Entity: &edited}})
	warned := s.post(t, key, strings.TrimSuffix(submissionBody("fresh", "Tool Number0", "https://fresh.example/"), "}")+`,"ids":{"pypi":"Its.Package"}}`, 201)
	suite.Equal(t, fmt.Sprint(warned.Warnings), `[{name "Tool Number0" is also the name of tool/n0 } {ids.pypi "Its.Package" is also of tool/n1; are both the same? }]`)
	suite.Holds(t, warned.Similar[0].Slug == "n1" && warned.Similar[1].Slug == "n0" && len(warned.Similar) <= live.MaxSimilar, warned.Similar)
}

// TestSecurityAnotherAccountsSubmission: another account can submit the same entity, and learns nothing about the
// submission, whatever it takes for its ID.
func TestSecurityAnotherAccountsSubmission(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 3)
	ada, _ := s.newKey(t, "ada")
	eve, _ := s.newKey(t, "eve")
	made := s.post(t, ada.Reveal(), submissionBody("secret-plan", "Secret plan", "https://secret.example/"), 201)
	for _, id := range []string{"%00", "%F0", "a%2Fb", "..%2F..", strings.Repeat("a", 5000), "'%3B%20DROP%20TABLE%20submissions"} {
		s.own(t, eve.Reveal(), "/api/submissions/"+id, 404)
	}
	s.own(t, eve.Reveal(), "/api/submissions?cursor="+made.ID, 400)
	for _, body := range []string{submissionBody("secret-plan", "x", "https://x.example/"), submissionBody("another", "Secret plan", "https://secret.example/")} {
		a, err := s.write(http.MethodPost, "/api/submit", eve.Reveal(), body)
		if read(t, a, err, 201); strings.Contains(string(a.body), made.ID) || strings.Contains(string(a.body), "ada") {
			t.Errorf("%s", a.body)
		}
	}
}

// TestAttackSubmissionFlood has one account send as many submissions as it can, concurrently
// through two edges. Only twenty are stored, and other accounts are not affected.
func TestAttackSubmissionFlood(t *testing.T) {
	suite.InRace(t)
	onEveryEngine(t, 2, func(t *testing.T, edges []*served) {
		eve, _ := edges[0].newKey(t, "eve")
		ada, _ := edges[0].newKey(t, "ada")
		const n = 60
		counts := map[int]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for worker := range 6 {
			wg.Go(func() {
				for i := worker; i < n; i += 6 {
					a, err := edges[i%2].write(http.MethodPost, "/api/submit", eve.Reveal(),
						submissionBody(fmt.Sprint("popular-", i), fmt.Sprint("Popular ", i), fmt.Sprint("https://popular.example/", i)))
					suite.Holds(t, err == nil, err)
					if a.status == http.StatusConflict && !strings.Contains(string(a.body), `"code":"too-many-submissions"`) {
						t.Errorf("%s", a.body)
					}
					mu.Lock()
					counts[a.status]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		suite.Equal(t, counts[http.StatusCreated], submission.MaxOpen)
		suite.Equal(t, counts[http.StatusConflict], n-submission.MaxOpen)
		list := edges[1].own(t, eve.Reveal(), "/api/submissions?limit=100", 200)
		suite.Require(t, len(list.Data) == submission.MaxOpen, len(list.Data), "are open")
		taken := list.Data[0].Entity
		edges[1].post(t, ada.Reveal(), submissionBody(taken.Slug, taken.Name, taken.URL), 201)

		// Each withdrawal makes room for one submission.
		for i, status := range []int{204, 204, 404} {
			id := list.Data[0].ID
			if i == 2 {
				id = "sub_" + strings.Repeat("a", 20)
			}
			edges[i%2].send(t, http.MethodDelete, "/api/submissions/"+id, eve.Reveal(), "").want(t, status)
		}
		edges[0].post(t, eve.Reveal(), submissionBody("one-more", "One more", "https://more.example/"), 201)
		p := edges[0].post(t, eve.Reveal(), submissionBody("too-many", "Too many", "https://many.example/"), 409)
		suite.Holds(t, p.Code == "too-many-submissions", p)
	})
}

// TestCorrection: a correction is stored with what it changes, and is published with the first build that has all
// its values, whatever else has changed since, as a new entity is with the first build that contains it.
func TestCorrection(t *testing.T) {
	suite.InTest(t)
	s := serve(t, 3)
	content, out := s.content, s.out
	secret, _ := s.newKey(t, "ada")
	key := secret.Reveal()
	made := s.post(t, key, `{"amends":"tool/n0","license":"Zlib","links":{"paper":null,"demo":"https://demo.example/"}}`, 201)
	suite.Holds(t, made.Status == "pending" && len(made.Similar) == 0, made)
	got := s.own(t, key, "/api/submissions/"+made.ID, 200)
	want := map[string]any{"license": "Zlib", "links": map[string]any{"demo": "https://demo.example/"}}
	suite.Holds(t, got.Amends != nil && *got.Amends == "tool/n0" && got.Entity.Slug == "n0" &&
		reflect.DeepEqual(got.Changes, want) && got.Fields["license"] == "Zlib" && got.Fields["name"] != nil, got)
	if p := s.post(t, key, `{"amends":"tool/n0","license":"ISC"}`, 409); p.Suggestion == nil || *p.Suggestion != "/api/submissions/"+made.ID {
		t.Errorf("%+v", p)
	}
	if p := s.post(t, key, `{"amends":"tool/n99","license":"MIT"}`, 400); len(p.Errors) != 1 || p.Errors[0].Field != "amends" {
		t.Errorf("%+v", p)
	}
	s.post(t, key, `{"amends":"tool/n1","license":"MIT","similar":[]}`, 400)
	s.post(t, "", `{"amends":"tool/n1","license":"MIT"}`, 401)

	fresh := s.post(t, key, submissionBody("new-one", "New one", "https://new.example/"), 201)
	pending := s.post(t, key, submissionBody("new-two", "New two", "https://two.example/"), 201)
	for _, id := range []string{made.ID, fresh.ID} {
		suite.Done(s.state.MoveSubmission(t.Context(), id, submission.Accepted, submission.Change{}))(t)
	}
	status := func() string {
		return fmt.Sprint(s.own(t, key, "/api/submissions/"+made.ID, 200).Status, " ", s.own(t, key, "/api/submissions/"+fresh.ID, 200).Status)
	}
	build := func(license string) {
		file := filepath.Join(content, "tool", "n0.yaml")
		data := suite.Must(os.ReadFile(file))(t)
		data = suite.Must(yamlfmt.Merge(kinds.Default(), file, data, map[string]any{"license": license, "version": "9", "links": map[string]any{"demo": "https://demo.example/"}}))(t)
		suite.Check(t, os.WriteFile(file, data, 0o644))
		buildInto(t, content, out, 3)
		suite.Check(t, s.Reload())
	}
	build("MIT")
	err := s.markPublished(t.Context())
	suite.Holds(t, err == nil && status() == "accepted accepted", status(), "before the build", err)
	for _, slug := range []string{"new-one", "new-two"} {
		writeEntity(t, content, "tool/"+slug, "")
	}
	build("Zlib")
	defer work(t, s.Server)()
	suite.Eventually(t, "both are published", func() bool { return status() == "published published" })
	now := s.own(t, key, "/api/submissions/"+pending.ID, 200)
	suite.Holds(t, now.Status == "pending", "the other submission", now.Status)
}
