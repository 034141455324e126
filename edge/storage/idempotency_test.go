package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// once performs a write like the edge, and returns its response and whether it was performed
// now. The response is the ID of the note that it creates.
func once(s *storage.State, a storage.IdempotencyKey, id string) (answer storage.IdempotencyRecord, made bool, err error) {
	err = s.Write(context.Background(), func(tx *storage.Tx) error {
		done, err := tx.ClaimIdempotency(a)
		if err != nil {
			return err
		}
		if made = done == nil; !made {
			answer = *done
			return nil
		}
		if err := tx.Exec(addNote, id, ""); err != nil {
			return err
		}
		answer = storage.IdempotencyRecord{BodyHash: a.BodyHash, Status: 201, Answer: id, Location: "/api/x/" + id, SecretID: "key_x"}
		return tx.SaveIdempotency(a, answer)
	})
	return answer, made, err
}

var post = storage.IdempotencyKey{AccountID: "acc_a", Method: "POST", Path: "/api/submit", Key: "k", BodyHash: "body"}

// TestIdempotencyIsPerAccount checks that attempts are distinguished by account, method, path and
// key, and that different bodies are distinguished by their hash.
func TestIdempotencyIsPerAccount(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := withNotes(t, open())
		others := []storage.IdempotencyKey{post, post, post, post, post}
		others[1].AccountID, others[2].Method, others[3].Path, others[4].Key = "acc_b", "PUT", "/api/webhooks", "K"
		for i, a := range others {
			if _, made, err := once(s, a, fmt.Sprint(i)); err != nil || !made {
				t.Errorf("%+v: made %v, %v", a, made, err)
			}
		}
		other := post
		other.BodyHash = "other"
		if d, made, err := once(s, other, "other"); err != nil || made || d.BodyHash != "body" || d.Answer != "0" || d.Status != 201 || d.SecretID != "key_x" || d.Location != "/api/x/0" {
			t.Errorf("another body: %+v, run %v, %v", d, made, err)
		}
	})
}

// TestIdempotencyIsBounded sends more writes for one account than are remembered. The account's
// oldest writes are forgotten; the writes of other accounts are not.
func TestIdempotencyIsBounded(t *testing.T) {
	suite.InTest(t)
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		s := withNotes(t, storagetest.OpenAt(t, target, func() time.Time { return now }))
		other := post
		other.AccountID = "acc_b"
		if _, made, err := once(s, other, "other"); err != nil || !made {
			t.Fatal(made, err)
		}
		numbered := func(i int) storage.IdempotencyKey {
			a := post
			a.Key = fmt.Sprint(i)
			return a
		}
		const more = 20
		for i := range storage.MaxIdempotencyKeys + more {
			now = now.Add(time.Millisecond)
			if _, made, err := once(s, numbered(i), fmt.Sprint("n", i)); err != nil || !made {
				t.Fatal(i, made, err)
			}
		}
		if n, err := s.Number(t.Context(), "SELECT COUNT(*) FROM idempotency"); n != storage.MaxIdempotencyKeys+1 || err != nil {
			t.Errorf("%d writes are remembered: %v", n, err)
		}
		for _, a := range []storage.IdempotencyKey{other, numbered(more), numbered(storage.MaxIdempotencyKeys + more - 1)} {
			if _, made, err := once(s, a, "again"); err != nil || made {
				t.Errorf("%+v was run again: %v", a, err)
			}
		}
	})
}

// TestIdempotencyForgetsFailures repeats a write whose first attempt failed.
func TestIdempotencyForgetsFailures(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := withNotes(t, open())
		failure := errors.New("refused")
		err := s.Write(t.Context(), func(tx *storage.Tx) error {
			if d, err := tx.ClaimIdempotency(post); d != nil || err != nil {
				return fmt.Errorf("%v %w", d, err)
			}
			return failure
		})
		suite.Is(t, err, failure)
		if _, made, err := once(s, post, "0"); err != nil || !made {
			t.Errorf("run %v, %v", made, err)
		}
	})
}

// TestIdempotencyTTL moves the clock to just before the end of the TTL, and then to its end.
func TestIdempotencyTTL(t *testing.T) {
	suite.InTest(t)
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		now := begin
		s := withNotes(t, storagetest.OpenAt(t, target, func() time.Time { return now }))
		step := func(at time.Duration, id string, want bool) {
			t.Helper()
			now = begin.Add(at)
			if d, made, err := once(s, post, id); err != nil || made != want {
				t.Errorf("after %v: %+v, run %v, %v", at, d, made, err)
			}
		}
		step(0, "first", true)
		step(24*time.Hour-time.Millisecond, "too early", false)
		step(24*time.Hour, "second", true)
		step(48*time.Hour-time.Millisecond, "too early again", false)
		step(48*time.Hour, "third", true)
		suite.Equal(t, notes(t, s, "%"), 3, "rows")
	})
}
