package sources

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"kindex/builder/collect"
	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
)

const (
	// recentDays is the period of the signal recentCommits.
	recentDays = 90
	// found is the number of repositories that are listed of each topic.
	found = 50
	// leastStars is the number of stars from which a repository is listed, unless collect.yaml has another one.
	leastStars = 5000
)

// GitHub returns the source of repositories: a hundred in one GraphQL query, and the number of contributors,
// which GraphQL does not have, with one REST request each. base is the address of the REST API, below which
// GraphQL is at /graphql; "" means https://api.github.com. It lists the repositories of the topics in config.
func GitHub(base string, config collect.SourceConfig) *collect.Source {
	s := newService(collect.Source{Name: "github", Title: "GitHub", Hosts: []string{"https://api.github.com"}, Token: "GITHUB_TOKEN", NeedsToken: true, Batch: 100, PerSecond: 5, //nolint:gosec // Token is the name of a variable
		Pages: []string{"https://docs.github.com/en/graphql/reference/objects#repository", "https://docs.github.com/en/rest/repos/repos#list-repository-contributors"}},
		func(id string) string { return repositoryName.FindString(id) },
		[]fact{{Column: always("stars"), at: "stargazerCount"}, {Column: always("forks"), at: "forkCount"}, {Column: always("archived"), at: "isArchived"},
			{Column: always("created"), at: "createdAt", as: day}, {Column: always("openIssues"), at: "issues.totalCount"}, {Column: always("releases"), at: "releases.totalCount"},
			{Column: mostly("lastCommit"), at: "defaultBranchRef.target.committedDate", as: day}, {Column: sometimes("commits"), at: "defaultBranchRef.target.history.totalCount"},
			{Column: sometimes("recentCommits"), at: "defaultBranchRef.target.recent.totalCount"}, {Column: sometimes("lastRelease"), at: "latestRelease.publishedAt", as: day},
			{Column: sometimes("version"), at: "version", as: text}, {Column: sometimes("license"), at: "licenseInfo.spdxId", as: license},
			{Column: collect.Column{Name: "contributors", Seldom: true}, at: "contributors"}}, base)
	s.Ask = s.askGitHub
	s.List = func(ctx context.Context, c *collect.Client) ([]collect.Candidate, error) {
		return s.search(ctx, c, config)
	}
	return &s.Source
}

var repositoryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

const repositoryFields = `{nameWithOwner url stargazerCount forkCount isArchived createdAt
issues(states:OPEN,first:1){totalCount} releases(first:1){totalCount} latestRelease{tagName publishedAt} licenseInfo{spdxId}
defaultBranchRef{target{... on Commit{committedDate history(first:1){totalCount} recent:history(since:$since,first:1){totalCount}}}}}`

// reply is the response to a query. GraphQL reports errors with status 200.
type reply struct {
	Data   map[string]object `json:"data"`
	Errors []struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Path    []any  `json:"path"`
	} `json:"errors"`
	Message string `json:"message"` // of an error outside GraphQL, such as Bad credentials
}

func (s *service) query(ctx context.Context, c *collect.Client, query, q string) (r reply, err error) {
	variables := map[string]string{"since": c.Now().AddDate(0, 0, -recentDays).UTC().Format(time.RFC3339)}
	if q != "" {
		variables["q"] = q
	}
	body, _ := json.Marshal(map[string]any{"query": query, "variables": variables}) // texts can always be encoded
	resp, err := c.Do(ctx, collect.Request{URL: s.Hosts[0] + "/graphql", Body: body, Limited: limited})
	if err != nil {
		return r, err
	}
	if err = resp.JSON(&r); err == nil {
		return r, nil
	}
	if json.Unmarshal(resp.Body, &r) == nil && r.Message != "" {
		err = fmt.Errorf("%w (%s)", err, r.Message)
	}
	return r, fmt.Errorf("GitHub: %w", err)
}

// limited recognizes limits that GitHub reports in the body, with status 200 or 403.
func limited(resp *collect.Response) bool {
	var r reply
	_ = json.Unmarshal(resp.Body, &r) // what is not a reply reports no limit
	messages := []string{r.Message}
	for _, e := range r.Errors {
		if e.Type == "RATE_LIMITED" || e.Type == "RATE_LIMIT" {
			return true
		}
		messages = append(messages, e.Message)
	}
	return strings.Contains(strings.ToLower(strings.Join(messages, "\n")), "secondary rate limit")
}

func (s *service) askGitHub(ctx context.Context, c *collect.Client, ids []string) (out []collect.Answer, err error) {
	var b strings.Builder // the n-th repository is rn in the response
	for i, id := range ids {
		owner, name, _ := strings.Cut(id, "/")
		fmt.Fprintf(&b, "r%d:repository(owner:%q,name:%q)%s\n", i, owner, name, repositoryFields)
	}
	r, err := s.query(ctx, c, "query($since:GitTimestamp!){"+b.String()+"}", "")
	if err != nil {
		return nil, err
	}
	lost := map[any]bool{}
	for _, e := range r.Errors {
		if e.Type != "NOT_FOUND" || len(e.Path) != 1 {
			return nil, fmt.Errorf("GitHub: %s", e.Message) // the runner asks for fewer, until the culprit is alone
		}
		lost[e.Path[0]] = true
	}
	for i, id := range ids {
		alias := "r" + strconv.Itoa(i)
		repo := r.Data[alias]
		switch name := repo.text("nameWithOwner"); {
		case lost[alias]:
			out = append(out, collect.Answer{ID: id, Gone: true})
		case repositoryName.MatchString(name):
			a := s.repository(id, repo)
			if c.Wants("contributors", id) && repo["defaultBranchRef"] != nil {
				if err := s.addContributors(ctx, c, &a, name); err != nil {
					return nil, err
				}
			}
			out = append(out, a)
		}
	}
	return out, nil
}

// versionTag matches tags that are versions, unlike ray-2.56.0.
var versionTag = regexp.MustCompile(`^[0-9]+(\.[0-9A-Za-z]+)*([-+.][0-9A-Za-z.+-]+)?$`)

func (s *service) repository(id string, repo object) collect.Answer {
	name := repo.text("nameWithOwner")
	a := collect.Answer{ID: id, Page: "https://github.com/" + name}
	if !strings.EqualFold(name, id) {
		a.Moved = name
	}
	repo["version"] = versionTag.FindString(strings.TrimPrefix(repo.text("latestRelease.tagName"), "v"))
	s.read(&a, repo)
	return a
}

var lastPage = regexp.MustCompile(`<([^>]+)>;\s*rel="last"`)

// addContributors adds the number of contributors: with one per page, it is the number of the last page.
func (s *service) addContributors(ctx context.Context, c *collect.Client, a *collect.Answer, name string) error {
	resp, err := c.Do(ctx, collect.Request{URL: s.Hosts[0] + "/repos/" + name + "/contributors?per_page=1&anon=true",
		Accept: "application/vnd.github+json", Limited: limited})
	if err != nil {
		return err
	}
	var n int
	switch m := lastPage.FindStringSubmatch(resp.Header.Get("Link")); {
	case resp.Status == http.StatusForbidden || resp.Status == http.StatusNoContent:
		return nil // GitHub does not count the contributors of very large and of empty repositories
	case resp.Status != http.StatusOK:
		return fmt.Errorf("GitHub: status %d for the contributors of %s", resp.Status, name)
	case m != nil:
		u, err := url.Parse(m[1])
		if err == nil {
			n, err = strconv.Atoi(u.Query().Get("page"))
		}
		if err != nil {
			return fmt.Errorf("GitHub: the link to the last page of contributors of %s has no page number", name)
		}
	default:
		var list []json.RawMessage
		if err := resp.JSON(&list); err != nil {
			return fmt.Errorf("GitHub: %w", err)
		}
		n = len(list)
	}
	a.Add(collect.Value{Name: "contributors", Number: float64(n), Source: "https://github.com/" + name + "/graphs/contributors"})
	return nil
}

// search lists the repositories with the most stars in each topic.
func (s *service) search(ctx context.Context, c *collect.Client, config collect.SourceConfig) (list []collect.Candidate, err error) {
	seen, stars := map[string]bool{}, leastStars
	if config.MinStars != nil {
		stars = *config.MinStars
	}
	for _, topic := range config.Topics {
		r, err := s.query(ctx, c, fmt.Sprintf("query($since:GitTimestamp!,$q:String!){search(query:$q,type:REPOSITORY,first:%d){nodes{... on Repository%s}}}", found, repositoryFields),
			fmt.Sprintf("topic:%s stars:>=%d archived:false fork:false sort:stars-desc", topic, stars))
		if err == nil && len(r.Errors) > 0 {
			err = fmt.Errorf("GitHub: %s", r.Errors[0].Message)
		}
		if err != nil {
			return list, err
		}
		nodes, _ := r.Data["search"]["nodes"].([]any)
		for _, node := range nodes {
			repo, _ := node.(map[string]any)
			name := yamldoc.Text(repo["nameWithOwner"])
			owner, short, _ := strings.Cut(name, "/")
			slug := content.Slugify(short)
			if !repositoryName.MatchString(name) || seen[name] || slug == "" {
				continue
			}
			seen[name] = true
			a := s.repository(name, repo)
			list = append(list, collect.Candidate{Type: "tool", Slug: slug, Answer: a, Fields: map[string]any{
				"name": short, "provider": owner, "url": a.Page, "links": map[string]any{"repository": a.Page}}})
		}
	}
	return list, nil
}
