package storage_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/submission"
)

// submitted stores a submission for an account.
func submitted(t *testing.T, s *storage.State, account, slug string) (one submission.Submission, err error) {
	t.Helper()
	id := storage.NewID("sub_")
	err = s.Write(t.Context(), func(tx *storage.Tx) error {
		var a apikey.Account
		if a, err = tx.EnsureAccount(account); err != nil {
			return err
		}
		one, err = tx.CreateSubmission(submission.Submission{ID: id, AccountID: a.ID, Type: "tool", Slug: slug, Name: "Name of " + slug,
			URL: "https://" + slug + ".example/", YAML: "name: x\n"})
		return err
	})
	return one, err
}

// TestOwnOpenSubmissionsAreUnique checks that an account can have only one open submission for
// an entity, and can submit the entity again once that submission is closed. Other accounts
// make no difference.
func TestOwnOpenSubmissionsAreUnique(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		other := suite.Must(submitted(t, s, "eve", "a"))(t)
		for _, path := range [][]submission.Status{{}, {submission.InReview}, {submission.Accepted}, {submission.InReview, submission.Accepted}} {
			one, err := submitted(t, s, "ada", "a")
			suite.Check(t, err)
			for _, to := range path {
				suite.Done(s.MoveSubmission(t.Context(), one.ID, to, submission.Change{Branch: "b", PullRequest: submission.PullRequest{Number: 7, URL: "u"}}))(t)
			}
			_, err = submitted(t, s, "ada", "a")
			var taken *submission.TakenError
			suite.Holds(t, errors.As(err, &taken) && taken.Submission.ID == one.ID && !taken.SamePage &&
				taken.Submission.Account == "ada", "after", path, err)
			siblings, err := s.Siblings(t.Context(), one)
			suite.Holds(t, err == nil && len(siblings) == 1 && siblings[0].ID == other.ID &&
				siblings[0].Account == "eve", "siblings", siblings, err)
			counts := suite.Must(s.CountSiblings(t.Context()))(t)
			suite.Holds(t, len(counts) == 2 && counts[one.ID] == 1 && counts[other.ID] == 1, "siblings", counts)
			suite.Done(s.MoveSubmission(t.Context(), one.ID, submission.Rejected, submission.Change{Reason: "No."}))(t)
			now, err := s.Submission(t.Context(), one.ID)
			if err != nil || now.Reason != "No." || len(path) > 0 && (now.Branch != "b" || now.PullRequest.Number != 7) || now.UpdatedAt.Before(now.CreatedAt) {
				t.Errorf("%+v %v", now, err)
			}
		}
	})
}

// TestClosedSubmissionsAreBounded submits and withdraws repeatedly. The account's newest
// submissions are kept, within the limits on number and size, and all submissions of other
// accounts.
func TestClosedSubmissionsAreBounded(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		other := suite.Must(submitted(t, s, "eve", "a"))(t)
		churn := func(n, size int) {
			write(t, s, func(tx *storage.Tx) error {
				a, err := tx.EnsureAccount("ada")
				for i := 0; i < n && err == nil; i++ {
					id := storage.NewID("sub_")
					_, err = tx.CreateSubmission(submission.Submission{ID: id, AccountID: a.ID, Type: "tool", Slug: fmt.Sprint("s", i), Name: "x",
						URL: "https://x.example/", YAML: strings.Repeat("ü", size/2)})
					if err == nil {
						_, err = tx.MoveSubmission(id, submission.Withdrawn, submission.Change{})
					}
				}
				return err
			})
		}
		churn(submission.MaxClosed+30, 10)
		// The last submission does not count towards the limit until the next one is stored.
		if n, err := s.CountSubmissions(t.Context(), submission.Query{}); err != nil || n != 1+submission.MaxClosed+1 {
			t.Errorf("%d are stored: %v", n, err)
		}
		const size = submission.MaxClosedBytes / 8
		churn(20, size)
		if n, err := s.Number(t.Context(), "SELECT SUM(OCTET_LENGTH(yaml)) FROM submissions"); err != nil || n > submission.MaxClosedBytes+size+100 {
			t.Errorf("%d bytes are stored: %v", n, err)
		}
		suite.Must(s.Submission(t.Context(), other.ID))(t)
	})
}

// TestWithdrawnPullRequests checks that a submission withdrawn in review is listed until its
// pull request is closed, and is not deleted before.
func TestWithdrawnPullRequests(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		one := suite.Must(submitted(t, s, "ada", "a"))(t)
		two := suite.Must(submitted(t, s, "ada", "b"))(t)
		suite.Done(s.MoveSubmission(t.Context(), one.ID, submission.InReview, submission.Change{Branch: "b", PullRequest: submission.PullRequest{Number: 7}}))(t)
		for _, id := range []string{one.ID, two.ID} {
			suite.Done(s.MoveSubmission(t.Context(), id, submission.Withdrawn, submission.Change{}))(t)
		}
		listed := func(want int) {
			t.Helper()
			list, err := s.Submissions(t.Context(), submission.Query{ToClose: true})
			suite.Holds(t, err == nil && len(list) == want && (want == 0 || list[0].ID == one.ID), list, err)
			report, err := s.Check(t.Context())
			suite.Holds(t, err == nil && len(report.Problems) == 0, report, err)
		}
		listed(1)
		suite.Check(t, s.PullRequestClosed(t.Context(), one.ID))
		listed(0)
	})
}

// TestSubmissionSteps tries every transition from every status, many times concurrently. An
// allowed transition succeeds exactly once; any other transition always fails.
func TestSubmissionSteps(t *testing.T) {
	suite.InTest(t)
	may := map[submission.Status]map[submission.Status]bool{
		submission.Pending:   {submission.InReview: true, submission.Accepted: true, submission.Rejected: true, submission.Withdrawn: true},
		submission.InReview:  {submission.Accepted: true, submission.Rejected: true, submission.Withdrawn: true},
		submission.Accepted:  {submission.Published: true, submission.Rejected: true},
		submission.Published: {}, submission.Rejected: {}, submission.Withdrawn: {},
	}
	way := map[submission.Status][]submission.Status{submission.InReview: {submission.InReview}, submission.Accepted: {submission.Accepted},
		submission.Published: {submission.Accepted, submission.Published}, submission.Rejected: {submission.Rejected}, submission.Withdrawn: {submission.Withdrawn}}
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		handles := []*storage.State{open(), open()}
		for i, from := range submission.Statuses {
			for j, to := range submission.Statuses {
				if to == submission.Pending {
					continue // no transition leads to this status
				}
				one := suite.Must(submitted(t, handles[0], "ada", fmt.Sprintf("s%d-%d", i, j)))(t)
				for _, step := range way[from] {
					suite.Done(handles[0].MoveSubmission(t.Context(), one.ID, step, submission.Change{}))(t)
				}
				var moved atomic.Int64
				var wg sync.WaitGroup
				for k := range 6 {
					wg.Go(func() {
						ok, err := handles[k%2].MoveSubmission(t.Context(), one.ID, to, submission.Change{})
						suite.Holds(t, err == nil, err)
						if ok {
							moved.Add(1)
						}
					})
				}
				wg.Wait()
				if got := moved.Load() == 1; got != may[from][to] || moved.Load() > 1 {
					t.Errorf("%s → %s: taken %d times", from, to, moved.Load())
				}
			}
		}
	})
}

// TestOneSubmissionIsChosen has reviewers at two edges choose between submissions of one entity, by
// its address or by its page, at once: one is chosen. Once that is rejected, another one can be.
// Corrections of one entity do not exclude each other.
func TestOneSubmissionIsChosen(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		edges := []*storage.State{open(), open()}
		const rivals = 6
		submit := func(name string, of func(i int) submission.Submission) (ids []string) {
			for i := range rivals {
				one := of(i)
				one.ID, one.YAML = storage.NewID("sub_"), "name: x\n"
				suite.Check(t, edges[0].Write(t.Context(), func(tx *storage.Tx) error {
					a, err := tx.EnsureAccount(fmt.Sprint(name, i))
					if err == nil {
						one.AccountID = a.ID
						_, err = tx.CreateSubmission(one)
					}
					return err
				}))
				ids = append(ids, one.ID)
			}
			return ids
		}
		choose := func(ids []string) (chosen []string) {
			var mu sync.Mutex
			var wg sync.WaitGroup
			for i, id := range ids {
				to := []submission.Status{submission.Accepted, submission.InReview}[i/2%2]
				wg.Go(func() {
					moved, err := edges[i%2].MoveSubmission(t.Context(), id, to, submission.Change{})
					var other *submission.ChosenError
					suite.Holds(t, err == nil || errors.As(err, &other), err)
					if moved {
						mu.Lock()
						chosen = append(chosen, id)
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			return chosen
		}
		for name, of := range map[string]func(i int) submission.Submission{
			"address": func(i int) submission.Submission {
				return submission.Submission{Type: "tool", Slug: "saw", Name: fmt.Sprint("Saw ", i), URL: "https://saw.example/"}
			},
			"page": func(i int) submission.Submission {
				return submission.Submission{Type: "tool", Slug: fmt.Sprint("rasp-", i), Name: "Rasp", URL: "https://rasp.example/"}
			},
		} {
			ids := submit(name, of)
			first := choose(ids)
			suite.Require(t, len(first) == 1, name, len(first), "were chosen at once")
			suite.Done(edges[0].MoveSubmission(t.Context(), first[0], submission.Rejected, submission.Change{Reason: "No."}))(t)
			second := choose(ids)
			suite.Holds(t, len(second) == 1 && second[0] != first[0], name, "after", first, second, "were chosen")
		}
		corrections := submit("correction", func(int) submission.Submission {
			return submission.Submission{Type: "tool", Slug: "axe", Name: "Axe", URL: "https://axe.example/", Changes: `{"version":"2"}`}
		})
		suite.Equal(t, len(choose(corrections)), rivals, "corrections were chosen")
	})
}

func TestUnknownSubmission(t *testing.T) {
	s := storagetest.SQLite(t)
	suite.Is(t, suite.Err(s.Submission(t.Context(), "sub_x")), submission.ErrUnknown)
	if ok, err := s.MoveSubmission(t.Context(), "sub_x", submission.Accepted, submission.Change{}); ok || err != nil {
		t.Error(ok, err)
	}
}
