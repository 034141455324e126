package state_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"kindex/edge/keys"
	"kindex/edge/state"
	"kindex/edge/state/statetest"
	"kindex/edge/submit"
)

// submitted takes in a submission of an account.
func submitted(t *testing.T, s *state.State, account, slug string) (one submit.Submission, err error) {
	t.Helper()
	id := state.NewID("sub_")
	err = s.Write(t.Context(), func(tx *state.Tx) error {
		var a keys.Account
		if a, err = tx.EnsureAccount(account); err != nil {
			return err
		}
		one, err = tx.CreateSubmission(submit.Submission{ID: id, AccountID: a.ID, Type: "tool", Slug: slug, Name: "Name of " + slug,
			URL: "https://" + slug + ".example/", YAML: "name: x\n"})
		return err
	})
	return one, err
}

// TestOpenSubmissionsAreUnique: nobody can take the place of an open submission;
// one that is closed makes room.
func TestOpenSubmissionsAreUnique(t *testing.T) {
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		s := open()
		for _, path := range [][]submit.Status{{}, {submit.InReview}, {submit.Accepted}, {submit.InReview, submit.Accepted}} {
			one, err := submitted(t, s, "ada", "a")
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range path {
				if ok, err := s.MoveSubmission(t.Context(), one.ID, to, submit.Change{Branch: "b", PullRequest: submit.PullRequest{Number: 7, URL: "u"}}); !ok || err != nil {
					t.Fatal(to, ok, err)
				}
			}
			_, err = submitted(t, s, "eve", "a")
			var taken *submit.TakenError
			if !errors.As(err, &taken) || taken.Submission.ID != one.ID || taken.SamePage || taken.Submission.Account != "ada" {
				t.Errorf("behind %v: %v", path, err)
			}
			if ok, err := s.MoveSubmission(t.Context(), one.ID, submit.Rejected, submit.Change{Reason: "No."}); !ok || err != nil {
				t.Fatal(ok, err)
			}
			now, err := s.Submission(t.Context(), one.ID)
			if err != nil || now.Reason != "No." || len(path) > 0 && (now.Branch != "b" || now.PullRequest.Number != 7) || now.UpdatedAt.Before(now.CreatedAt) {
				t.Errorf("%+v %v", now, err)
			}
		}
	})
}

// TestSubmissionSteps tries every step from every state, many at the same time: of
// those that may be taken one is, the others never.
func TestSubmissionSteps(t *testing.T) {
	may := map[submit.Status]map[submit.Status]bool{
		submit.Pending:   {submit.InReview: true, submit.Accepted: true, submit.Rejected: true},
		submit.InReview:  {submit.Accepted: true, submit.Rejected: true},
		submit.Accepted:  {submit.Published: true, submit.Rejected: true},
		submit.Published: {}, submit.Rejected: {},
	}
	way := map[submit.Status][]submit.Status{submit.InReview: {submit.InReview}, submit.Accepted: {submit.Accepted},
		submit.Published: {submit.Accepted, submit.Published}, submit.Rejected: {submit.Rejected}}
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		handles := []*state.State{open(), open()}
		for i, from := range submit.Statuses {
			for j, to := range submit.Statuses {
				if to == submit.Pending {
					continue // nothing leads there, and nothing asks for it
				}
				one, err := submitted(t, handles[0], "ada", fmt.Sprintf("s%d-%d", i, j))
				if err != nil {
					t.Fatal(err)
				}
				for _, step := range way[from] {
					if ok, err := handles[0].MoveSubmission(t.Context(), one.ID, step, submit.Change{}); !ok || err != nil {
						t.Fatal(from, step, ok, err)
					}
				}
				var moved atomic.Int64
				var wg sync.WaitGroup
				for k := range 6 {
					wg.Go(func() {
						ok, err := handles[k%2].MoveSubmission(t.Context(), one.ID, to, submit.Change{})
						if err != nil {
							t.Error(err)
						}
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

func TestUnknownSubmission(t *testing.T) {
	s := statetest.SQLite(t)
	if _, err := s.Submission(t.Context(), "sub_x"); !errors.Is(err, submit.ErrUnknown) {
		t.Error(err)
	}
	if ok, err := s.MoveSubmission(t.Context(), "sub_x", submit.Accepted, submit.Change{}); ok || err != nil {
		t.Error(ok, err)
	}
}
