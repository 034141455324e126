package github_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"kindex/builder/suite"
	"kindex/edge/submission"
	"kindex/edge/submission/github"
	"kindex/edge/submission/github/githubtest"
)

// store keeps submissions in memory and refuses invalid transitions.
type store struct {
	mu   sync.Mutex
	list []submission.Submission
	fail error

	closed map[string]bool // withdrawn submissions reported to PullRequestClosed
}

func (s *store) PullRequestClosed(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil {
		s.closed = map[string]bool{}
	}
	s.closed[id] = true
	return nil
}

func (s *store) Submission(_ context.Context, id string) (submission.Submission, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.list {
		if one.ID == id {
			return one, nil
		}
	}
	return submission.Submission{}, submission.ErrUnknown
}

func (s *store) Submissions(_ context.Context, q submission.Query) (list []submission.Submission, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	behind := q.After == ""
	for _, one := range s.list {
		chosen := slices.Contains(q.Statuses, one.Status) || q.ToClose && one.Status == submission.Withdrawn && !s.closed[one.ID]
		if behind && chosen && (q.Limit == 0 || len(list) < q.Limit) {
			list = append(list, one)
		}
		behind = behind || one.ID == q.After
	}
	return list, s.fail
}

func (s *store) MoveSubmission(_ context.Context, id string, to submission.Status, c submission.Change) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.list {
		if s.list[i].ID == id && slices.Contains(to.From(), s.list[i].Status) {
			s.list[i].Status, s.list[i].Reason = to, c.Reason
			return true, nil
		}
	}
	return false, nil
}

// setUp starts a forge with a repository that has the branch main and some other branches.
func setUp(t *testing.T, branches ...string) (*githubtest.Server, *github.Forge) {
	t.Helper()
	bare := filepath.Join(t.TempDir(), "bare.git")
	run := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"--git-dir", bare}, args...)...)
		cmd.Env = append(cmd.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		suite.Require(t, err == nil, "git", args, err, out)
		return strings.TrimSpace(string(out))
	}
	run("init", "-q", "--bare", "-b", "main")
	tree := run("hash-object", "-t", "tree", "-w", "/dev/null")
	first := run("commit-tree", "-m", "First", tree)
	run("update-ref", "refs/heads/main", first)
	for _, b := range branches {
		run("update-ref", "refs/heads/"+b, run("commit-tree", "-m", b, "-p", first, tree))
	}
	s := githubtest.Start(bare)
	t.Cleanup(s.Close)
	f := suite.Must(github.New(github.Options{URL: s.URL + "/", Repository: githubtest.Repository, Token: githubtest.Token}))(t)
	return s, f
}

func TestOptions(t *testing.T) {
	for _, c := range []struct{ url, repo, token, says string }{
		{"https://api.example.org", "o/n", "", "KINDEX_FORGE_TOKEN"},
		{"https://api.example.org", "o/n", "a b", "KINDEX_FORGE_TOKEN"},
		{"https://api.example.org", "o/n", "a\nb", "KINDEX_FORGE_TOKEN"},
		{"https://api.example.org", "o", "t", "owner/name"},
		{"https://api.example.org", "../n", "t", "owner/name"},
		{"https://api.example.org", "o/..", "t", "owner/name"},
		{"https://api.example.org", "o/n/m", "t", "owner/name"},
		{"https://api.example.org", "o/n?x", "t", "owner/name"},
		{"http://api.example.org", "o/n", "t", "use https://"},
		{"api.example.org", "o/n", "t", "is not the address of an API"},
		{"https://user:secret@api.example.org", "o/n", "t", "is not the address of an API"},
		{"https://secret@api.example.org", "o/n", "t", "is not the address of an API"},
		{"file:///etc", "o/n", "t", "is not the address of an API"},
	} {
		_, err := github.New(github.Options{URL: c.url, Repository: c.repo, Token: c.token})
		suite.Holds(t, err != nil && strings.Contains(err.Error(), c.says) &&
			!strings.Contains(err.Error(), "secret"), c, err)
	}
}

func TestOpen(t *testing.T) {
	s, f := setUp(t, "submission/a")
	r := github.Request{Branch: "submission/a", Base: "main", Title: "Add tool/a", Body: "x"}
	s.Add(githubtest.Pull{Head: "submission/a", State: "open", From: "eve/index"}) // from somebody's fork
	s.Behave(func(b *githubtest.Behaviour) { b.Lose = 1 })
	suite.Fails(t, suite.Err(f.Open(t.Context(), r)), "", "the answer was lost")
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if p, err := f.Open(t.Context(), r); err != nil || p.Number != 2 || p.URL != "https://forge.example.org/example/index/pull/2" {
				t.Errorf("%+v %v", p, err)
			}
		})
	}
	wg.Wait()
	suite.Equal(t, len(s.Pulls()), 2, "pull requests", s.Violations())
	suite.Equal(t, len(s.Violations()), 0)
	s.Fail(403, nil)
	if _, err := f.Open(t.Context(), r); err == nil || !strings.Contains(err.Error(), "lacks permission") || strings.Contains(err.Error(), githubtest.Token) {
		t.Error(err)
	}
}

// TestOpenUnnumbered checks that a response without the number of the new pull request is an
// error, because that pull request could not be followed.
func TestOpenUnnumbered(t *testing.T) {
	s, f := setUp(t, "submission/a")
	r := github.Request{Branch: "submission/a", Base: "main", Title: "Add tool/a", Body: "x"}
	s.Behave(func(b *githubtest.Behaviour) { b.Mute = true })
	if p, err := f.Open(t.Context(), r); err == nil || !strings.Contains(err.Error(), "has no pull request number") {
		t.Errorf("%+v %v", p, err)
	}
	s.Behave(func(b *githubtest.Behaviour) { b.Mute = false })
	suite.Equal(t, suite.Must(f.Open(t.Context(), r))(t).Number, 1)
	suite.Equal(t, len(s.Pulls()), 1)
}

// TestSecurityDeletedFork checks that a pull request from a fork that has been deleted is not
// mistaken for that of the submission. Here the forge ignores the head parameter.
func TestSecurityDeletedFork(t *testing.T) {
	s, f := setUp(t, "submission/a")
	s.Behave(func(b *githubtest.Behaviour) { b.All = true })
	s.Add(githubtest.Pull{Head: "submission/a", State: "closed", From: githubtest.Deleted})
	suite.Equal(t, suite.Must(f.Find(t.Context(), "submission/a"))(t).Number, 0)
	kept := &store{list: []submission.Submission{inReview("a", 1)}}
	if moved, err := (&github.Follower{Forge: f, Store: kept, Log: slog.New(slog.DiscardHandler)}).Round(t.Context()); err == nil || len(moved) > 0 {
		t.Errorf("moved %v, %v", moved, err)
	}
}

// TestSecurityForgeRedirect checks that the token is sent only to the forge's own host.
func TestSecurityForgeRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	f := suite.Must(github.New(github.Options{URL: s.URL, Repository: "o/n", Token: "secret-token"}))(t)
	if _, err := f.DefaultBranch(t.Context()); err == nil || !strings.Contains(err.Error(), "which must not receive the token") || strings.Contains(err.Error(), "secret-token") {
		t.Error(err)
	}
}

// inReview returns a submission whose pull request is open.
func inReview(id string, number int64) submission.Submission {
	return submission.Submission{ID: id, Status: submission.InReview, Type: "tool", Slug: id, Branch: "submission/" + id,
		PullRequest: submission.PullRequest{Number: number, URL: "https://forge.example.org/1"}}
}

func TestRound(t *testing.T) {
	s, f := setUp(t)
	for _, head := range []string{"a", "b", "c", "elsewhere", "e"} {
		s.Add(githubtest.Pull{Head: "submission/" + head, State: "open"})
	}
	kept := &store{list: []submission.Submission{inReview("a", 1), inReview("b", 2), inReview("c", 3), inReview("d", 4), inReview("e", 5), inReview("f", 99)}}
	follower := &github.Follower{Forge: f, Store: kept, Log: slog.New(slog.DiscardHandler)}
	round := func(want string) {
		t.Helper()
		moved, err := follower.Round(t.Context())
		var got []string
		for _, one := range moved {
			got = append(got, one.ID+" "+string(one.Status))
		}
		suite.Equal(t, strings.Join(got, ", "), want, got)
		if err == nil || !strings.Contains(err.Error(), "d: pull request 4 of example/index is not from the branch submission/d") || !strings.Contains(err.Error(), "f: example/index does not exist") {
			t.Errorf("wrong submissions: %v", err)
		}
	}
	round("")
	round("")
	suite.Check(t, errors.Join(s.ClosePull(1, true), s.ClosePull(2, false)))
	round("a accepted, b rejected")
	suite.Equal(t, kept.list[1].Reason, "The pull request was closed without being merged: https://forge.example.org/1")
	round("")
	suite.Equal(t, len(s.Violations()), 0)
}

// TestManyInReview checks that a round requests only a limited number of pull requests, and
// that the next round continues after them.
func TestManyInReview(t *testing.T) {
	s, f := setUp(t)
	kept := &store{}
	for i := range 125 {
		id := "s" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		s.Add(githubtest.Pull{Head: "submission/" + id, State: "open"})
		kept.list = append(kept.list, inReview(id, int64(i+1)))
	}
	follower := &github.Follower{Forge: f, Store: kept, Log: slog.New(slog.DiscardHandler)}
	for _, want := range []int{50, 100, 125, 175} {
		suite.Must(follower.Round(t.Context()))(t)
		n := len(s.Requests())
		suite.Holds(t, n == want && follower.More() == (want != 125), n, "requests", want, "more", follower.More())
	}
}

// TestFollow checks that errors increase the delay, and that the delay requested by the forge
// is respected.
func TestFollow(t *testing.T) {
	suite.InRace(t)
	s, f := setUp(t)
	s.Add(githubtest.Pull{Head: "submission/a", State: "open"})
	kept := &store{list: []submission.Submission{inReview("a", 1)}}
	for range 4 {
		s.Fail(500, nil)
	}
	const every = 20 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	rounds := 0
	var at []time.Time
	(&github.Follower{Forge: f, Store: kept, Log: slog.New(slog.DiscardHandler)}).Follow(ctx, every, func(context.Context) {
		at = append(at, time.Now())
		switch rounds++; rounds {
		case 5:
			suite.Check(t, s.ClosePull(1, true))
		case 6:
			cancel()
		}
	})
	suite.Require(t, kept.list[0].Status == submission.Accepted &&
		rounds == 6, kept.list[0].Status, "after", rounds, "rounds")
	// The delays are 20, 40, 80 and 160 ms after failures, and then 20 ms again.
	waited := at[4].Sub(at[3])
	suite.Holds(t, waited >= 7*every, waited, "after the fourth failure")
}

func TestForgeAsksToWait(t *testing.T) {
	s, f := setUp(t)
	for _, head := range []string{"a", "b"} {
		s.Add(githubtest.Pull{Head: "submission/" + head, State: "open"})
	}
	kept := &store{list: []submission.Submission{inReview("a", 1), inReview("b", 2)}}
	s.Fail(http.StatusTooManyRequests, map[string]string{"Retry-After": "120", "X-RateLimit-Remaining": "0",
		"X-RateLimit-Limit": "60", "X-RateLimit-Reset": "4102444800"})
	if _, err := (&github.Follower{Forge: f, Store: kept, Log: slog.New(slog.DiscardHandler)}).Round(t.Context()); err == nil || len(s.Requests()) != 1 {
		t.Errorf("%v, %d requests", err, len(s.Requests()))
	}
}

// TestWithdrawn checks that the pull request of a withdrawn submission is closed once. If a
// pull request was merged meanwhile, its submission stays withdrawn. A missing pull request
// does not keep others from being closed.
func TestWithdrawn(t *testing.T) {
	s, f := setUp(t)
	for _, head := range []string{"open", "merged", "closed", "elsewhere"} {
		s.Add(githubtest.Pull{Head: "submission/" + head, State: "open"})
	}
	suite.Check(t, errors.Join(s.ClosePull(2, true), s.ClosePull(3, false)))
	kept := &store{}
	for i, id := range []string{"open", "merged", "closed", "another", "gone"} {
		one := inReview(id, int64(i+1))
		one.Status = submission.Withdrawn
		kept.list = append(kept.list, one)
	}
	follower := &github.Follower{Forge: f, Store: kept, Log: slog.New(slog.DiscardHandler)}
	s.Fail(http.StatusBadGateway, nil)
	if _, err := follower.Round(t.Context()); err == nil || kept.closed["open"] || s.Pulls()[0].State != "open" {
		t.Errorf("the forge failed: %v, %v", err, kept.closed)
	}
	for range 2 {
		suite.Equal(t, len(suite.Must(follower.Round(t.Context()))(t)), 0, "moved")
	}
	for _, one := range kept.list {
		suite.Holds(t, kept.closed[one.ID] &&
			one.Status == submission.Withdrawn, one.ID, one.Status, "closed", kept.closed[one.ID])
	}
	p := s.Pulls()
	suite.Holds(t, p[0].State == "closed" && !p[0].Merged && p[3].State == "open", p)
	closed := 0
	for _, r := range s.Requests() {
		if strings.HasPrefix(r, http.MethodPatch) {
			closed++
		}
	}
	suite.Equal(t, closed, 1, "requests to close", s.Requests())
}

// TestSecurityForgeAnswers checks that any response from the forge is truncated and printed
// as one short line without control characters.
func TestSecurityForgeAnswers(t *testing.T) {
	suite.InTest(t)
	const hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e"
	for what, answer := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(map[string]any{"message": hostile + strings.Repeat("x", 5000)})
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, hostile) },
		"a branch": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"default_branch":"a\u001b[2Jb"}`)
		},
		"an endless answer": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"default_branch":"`)
			block := bytes.Repeat([]byte("x"), 1<<20)
			for range 100 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
			_, _ = io.WriteString(w, `"}`)
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := httptest.NewServer(answer)
			defer s.Close()
			f, err := github.New(github.Options{URL: s.URL, Repository: "o/n", Token: "secret-token"})
			suite.Check(t, err)
			_, err = f.DefaultBranch(t.Context())
			suite.Holds(t, err != nil && len(err.Error()) <= 1500 &&
				!strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }), fmt.Sprint(err))
		})
	}
}

// TestWithdrawnUnderAReadingToken checks that a token that may not close pull requests
// neither stops nor slows down the follower, and that this is logged once.
func TestWithdrawnUnderAReadingToken(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			asked.Add(1)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		branch := map[string]string{"1": "submission/a", "2": "submission/b"}[path.Base(r.URL.Path)]
		_ = json.NewEncoder(w).Encode(map[string]any{"number": 1, "state": "open", "head": map[string]any{"ref": branch, "repo": map[string]any{"full_name": "o/n"}}})
	}))
	defer s.Close()
	f := suite.Must(github.New(github.Options{URL: s.URL, Repository: "o/n", Token: "reading"}))(t)
	withdrawn := inReview("a", 1)
	withdrawn.Status = submission.Withdrawn
	kept := &store{list: []submission.Submission{withdrawn, inReview("b", 2)}}
	var log bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	rounds := 0
	(&github.Follower{Forge: f, Store: kept, Log: slog.New(slog.NewTextHandler(&log, nil))}).Follow(ctx, time.Millisecond, func(context.Context) {
		if rounds++; rounds == 5 {
			cancel()
		}
	})
	if rounds != 5 || asked.Load() != 5 || kept.closed["a"] || strings.Count(log.String(), "level=WARN") != 1 || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("%d rounds, %d requests, closed %v\n%s", rounds, asked.Load(), kept.closed, log.String())
	}
}
