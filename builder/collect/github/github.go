// Package github reads figures of repositories from GitHub: a hundred repositories in one
// GraphQL query, and the number of contributors, which GraphQL does not have, with one REST
// request each.
//
// It was written from the public documentation, and is tested against a server that behaves as
// documented:
//   - https://docs.github.com/en/graphql/reference/objects#repository
//   - https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
//   - https://docs.github.com/en/rest/repos/repos#list-repository-contributors
//   - https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
package github

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/exports/record"
)

// recentDays is the period of the signal recentCommits.
const recentDays = 90

// Source implements collect.Source.
type Source struct {
	base     string
	topics   []string // in which List looks
	minStars int
}

// New returns the source. base is the address of the REST API, below which GraphQL is at
// /graphql; "" means https://api.github.com.
func New(base string) *Source {
	if base == "" {
		base = "https://api.github.com"
	}
	return &Source{base: strings.TrimSuffix(base, "/")}
}

// Find sets which repositories List finds, and returns the source.
func (s *Source) Find(topics []string, minStars int) *Source {
	s.topics, s.minStars = topics, minStars
	return s
}

// Info implements collect.Source.
func (s *Source) Info() collect.Info {
	const token = "GITHUB_TOKEN" //nolint:gosec // the name of a variable
	return collect.Info{Name: "github", Title: "GitHub", Hosts: []string{s.base}, Token: token, NeedsToken: true, Batch: 100, PerSecond: 5,
		Pages: []string{"https://docs.github.com/en/graphql/reference/objects#repository", "https://docs.github.com/en/rest/repos/repos#list-repository-contributors"},
		Columns: []collect.Column{{Name: "stars", Always: true}, {Name: "forks", Always: true}, {Name: "archived", Always: true}, {Name: "created", Always: true},
			{Name: "openIssues", Always: true}, {Name: "releases", Always: true}, {Name: "lastCommit", Mostly: true}, {Name: "commits"}, {Name: "recentCommits"},
			{Name: "lastRelease"}, {Name: "version"}, {Name: "license"}, {Name: "contributors", Seldom: true}}}
}

// Identify implements collect.Source.
func (s *Source) Identify(e *record.Entity) string {
	if ids := e.IDsIn("github"); len(ids) > 0 && name.MatchString(ids[0]) {
		return ids[0]
	}
	return ""
}

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

// repository is what the query asks for.
type repository struct {
	NameWithOwner    string    `json:"nameWithOwner"`
	URL              string    `json:"url"`
	StargazerCount   *float64  `json:"stargazerCount"`
	ForkCount        *float64  `json:"forkCount"`
	IsArchived       *bool     `json:"isArchived"`
	CreatedAt        time.Time `json:"createdAt"`
	Issues           *total    `json:"issues"`
	Releases         *total    `json:"releases"`
	LatestRelease    *release  `json:"latestRelease"`
	LicenseInfo      *license  `json:"licenseInfo"`
	DefaultBranchRef *struct {
		Target struct {
			CommittedDate time.Time `json:"committedDate"`
			History       *total    `json:"history"`
			Recent        *total    `json:"recent"`
		} `json:"target"`
	} `json:"defaultBranchRef"`
}

type total struct {
	TotalCount float64 `json:"totalCount"`
}

type release struct {
	TagName     string    `json:"tagName"`
	PublishedAt time.Time `json:"publishedAt"`
}

type license struct {
	SPDX string `json:"spdxId"`
}

const fields = `{nameWithOwner url stargazerCount forkCount isArchived createdAt
issues(states:OPEN,first:1){totalCount} releases(first:1){totalCount} latestRelease{tagName publishedAt} licenseInfo{spdxId}
defaultBranchRef{target{... on Commit{committedDate history(first:1){totalCount} recent:history(since:$since,first:1){totalCount}}}}}`

// query returns the GraphQL query for some repositories; the n-th one is rn in the response.
func query(ids []string) string {
	var b strings.Builder
	b.WriteString("query($since:GitTimestamp!){")
	for i, id := range ids {
		owner, name, _ := strings.Cut(id, "/")
		fmt.Fprintf(&b, "r%d:repository(owner:%q,name:%q)%s\n", i, owner, name, fields)
	}
	b.WriteString("}")
	return b.String()
}

// query sends a GraphQL query.
func (s *Source) query(ctx context.Context, c collect.Client, text string, variables map[string]any, into any) error {
	all := map[string]any{"since": c.Now().AddDate(0, 0, -recentDays).UTC().Format(time.RFC3339)}
	maps.Copy(all, variables)
	body, err := json.Marshal(map[string]any{"query": text, "variables": all})
	if err != nil {
		return err
	}
	resp, err := c.Do(ctx, collect.Request{URL: s.base + "/graphql", Body: body, Limited: limited})
	if err != nil {
		return err
	}
	if err := resp.JSON(into); err != nil {
		return fmt.Errorf("GitHub: %w%s", err, messageOf(resp))
	}
	return nil
}

// reply is the response to a query. GraphQL reports errors with status 200.
type reply[T any] struct {
	Data    map[string]T `json:"data"`
	Errors  []graphError `json:"errors"`
	Message string       `json:"message"` // of an error outside GraphQL
}

type graphError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Path    []any  `json:"path"`
}

// Ask implements collect.Source.
func (s *Source) Ask(ctx context.Context, c collect.Client, ids []string) ([]collect.Answer, error) {
	r := reply[*repository]{}
	if err := s.query(ctx, c, query(ids), nil, &r); err != nil {
		return nil, err
	}
	lost := map[string]bool{}
	for _, e := range r.Errors {
		alias := ""
		if len(e.Path) > 0 {
			alias, _ = e.Path[0].(string)
		}
		switch {
		case e.Type == "NOT_FOUND" && alias != "" && len(e.Path) == 1:
			lost[alias] = true
		case alias == "" || len(ids) > 1:
			return nil, fmt.Errorf("GitHub: %s", e.Message) // the runner asks for fewer, until the culprit is alone
		default:
			return nil, fmt.Errorf("GitHub: %s: %s", strings.Join(strings.Fields(fmt.Sprint(e.Path)), " "), e.Message)
		}
	}
	var out []collect.Answer
	for i, id := range ids {
		alias := "r" + strconv.Itoa(i)
		repo := r.Data[alias]
		switch {
		case lost[alias]:
			out = append(out, collect.Answer{ID: id, Gone: true})
		case repo != nil && name.MatchString(repo.NameWithOwner):
			a := repo.answer(id)
			if err := s.addContributors(ctx, c, &a, repo); err != nil {
				return nil, err
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// limited recognizes limits that GitHub reports in the body: primary limits with status 200, and
// secondary limits with 200 or 403.
func limited(resp *collect.Response) bool {
	var r reply[json.RawMessage]
	if json.Unmarshal(resp.Body, &r) != nil {
		return false
	}
	for _, e := range r.Errors {
		if e.Type == "RATE_LIMITED" || e.Type == "RATE_LIMIT" || isSecondary(e.Message) {
			return true
		}
	}
	return isSecondary(r.Message)
}

func isSecondary(message string) bool {
	return strings.Contains(strings.ToLower(message), "secondary rate limit")
}

// messageOf returns the message of an error as GitHub sends it, such as Bad credentials.
func messageOf(resp *collect.Response) string {
	var r reply[json.RawMessage]
	if json.Unmarshal(resp.Body, &r) != nil || r.Message == "" {
		return ""
	}
	return " (" + r.Message + ")"
}

func (repo *repository) answer(id string) collect.Answer {
	a := collect.Answer{ID: id, Page: "https://github.com/" + repo.NameWithOwner}
	if !strings.EqualFold(repo.NameWithOwner, id) {
		a.Moved = repo.NameWithOwner
	}
	total := func(name string, t *total) {
		if t != nil {
			a.AddCount(name, &t.TotalCount)
		}
	}
	a.AddCount("stars", repo.StargazerCount)
	a.AddCount("forks", repo.ForkCount)
	if repo.IsArchived != nil {
		n := 0.0
		if *repo.IsArchived {
			n = 1
		}
		a.AddCount("archived", &n)
	}
	a.AddDay("created", repo.CreatedAt)
	total("openIssues", repo.Issues)
	total("releases", repo.Releases)
	if b := repo.DefaultBranchRef; b != nil {
		a.AddDay("lastCommit", b.Target.CommittedDate)
		total("commits", b.Target.History)
		total("recentCommits", b.Target.Recent)
	}
	if l := repo.LatestRelease; l != nil {
		a.AddDay("lastRelease", l.PublishedAt)
		if v := strings.TrimPrefix(l.TagName, "v"); version.MatchString(v) {
			a.AddText("version", v)
		}
	}
	if l := repo.LicenseInfo; l != nil && l.SPDX != "NOASSERTION" {
		a.AddLicense(l.SPDX)
	}
	return a
}

// version matches tags that are versions; other tags, such as ray-2.56.0, have prefixes of
// their own.
var version = regexp.MustCompile(`^[0-9]+(\.[0-9A-Za-z]+)*([-+.][0-9A-Za-z.+-]+)?$`)

var lastPage = regexp.MustCompile(`<([^>]+)>;\s*rel="last"`)

// addContributors adds the number of contributors, anonymous ones included: with one per page,
// it is the number of the last page.
func (s *Source) addContributors(ctx context.Context, c collect.Client, a *collect.Answer, repo *repository) error {
	if !c.Wants("contributors", a.ID) || repo.DefaultBranchRef == nil {
		return nil
	}
	resp, err := c.Do(ctx, collect.Request{URL: s.base + "/repos/" + repo.NameWithOwner + "/contributors?per_page=1&anon=true",
		Accept: "application/vnd.github+json", Limited: limited})
	if err != nil {
		return err
	}
	var n int
	switch m := lastPage.FindStringSubmatch(resp.Header.Get("Link")); {
	case resp.Status == http.StatusForbidden || resp.Status == http.StatusNoContent:
		return nil // GitHub does not count the contributors of very large and of empty repositories
	case resp.Status != http.StatusOK:
		return fmt.Errorf("GitHub: status %d for the contributors of %s", resp.Status, repo.NameWithOwner)
	case m != nil:
		u, err := url.Parse(m[1])
		if err != nil {
			return fmt.Errorf("GitHub: %w", err)
		}
		if n, err = strconv.Atoi(u.Query().Get("page")); err != nil {
			return fmt.Errorf("GitHub: the link to the last page of contributors of %s has no page number", repo.NameWithOwner)
		}
	default:
		var list []json.RawMessage
		if err := resp.JSON(&list); err != nil {
			return fmt.Errorf("GitHub: %w", err)
		}
		n = len(list)
	}
	a.Add(collect.Value{Name: "contributors", Number: float64(n), Source: "https://github.com/" + repo.NameWithOwner + "/graphs/contributors"})
	return nil
}
