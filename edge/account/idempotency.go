package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"kindex/edge/storage"
	"kindex/edge/web"
)

// Result is what a write has come to.
type Result struct {
	Status   int
	Body     any    // nil for none
	Location string // the address of what was made, "" for none
	// secretID names what the body holds the secret of, "" where it holds none.
	// Such an answer is given once only.
	secretID string
}

// Write makes a write in one transaction, together with its Idempotency-Key if one
// was sent: then the same write sent again gets the same answer for 24 hours, and
// has no further effect. The caller must have an account. do may be run several
// times.
func (s *Service) Write(c *web.Call, do WriteFunc) (*web.Reply, error) {
	a, err := readAttempt(c)
	if err != nil {
		return nil, err
	}
	done, repeated, err := s.Idempotent(c.Request.Context(), a, do)
	if err != nil {
		return nil, err
	}
	return replyTo(a, done, repeated)
}

// WriteFunc is what a write does within its transaction. It may be run several times.
type WriteFunc func(tx *storage.Tx) (Result, error)

// Idempotent makes a write that was not made before, or tells that it was, and what came
// of it.
func (s *Service) Idempotent(ctx context.Context, a storage.Attempt, do WriteFunc) (done storage.Done, repeated bool, err error) {
	err = s.state.Write(ctx, func(tx *storage.Tx) error {
		done, repeated = storage.Done{}, false
		if a.Key != "" {
			before, err := tx.Begin(a)
			if err != nil {
				return err
			}
			if before != nil {
				done, repeated = *before, true
				return nil
			}
		}
		o, err := do(tx)
		if err != nil {
			return err
		}
		done = storage.Done{BodyHash: a.BodyHash, Status: o.Status, Location: o.Location, SecretID: o.secretID}
		if o.Body != nil {
			done.Answer = string(web.AppendJSON(nil, o.Body)) + "\n"
		}
		if a.Key == "" {
			return nil
		}
		kept := done
		if kept.SecretID != "" {
			kept.Answer = ""
		}
		return tx.End(a, kept)
	})
	return done, repeated, web.StateProblem(err)
}

func replyTo(a storage.Attempt, done storage.Done, repeated bool) (*web.Reply, error) {
	r := &web.Reply{Status: done.Status, Body: []byte(done.Answer), Header: http.Header{}}
	if done.Location != "" {
		r.Header.Set("Location", done.Location)
	}
	if !repeated {
		return r, nil
	}
	switch {
	case done.BodyHash != a.BodyHash:
		return nil, web.NewProblem("idempotency-key-reused", "This Idempotency-Key was sent with another body within the last 24 hours; a new write needs a new key.")
	case done.SecretID != "":
		return nil, web.NewProblem("secret-shown-once", "This write was made already: it made "+done.SecretID+", whose secret was shown in the first answer only.")
	}
	r.Header.Set("Idempotency-Replayed", "true")
	return r, nil
}

// Repeatable reports whether the write came with an Idempotency-Key, so that it may
// have been made before.
func Repeatable(c *web.Call) bool { return len(c.Request.Header.Values("Idempotency-Key")) > 0 }

// readAttempt reads the Idempotency-Key.
func readAttempt(c *web.Call) (storage.Attempt, error) {
	account, err := c.Account()
	if err != nil {
		return storage.Attempt{}, err
	}
	a := storage.Attempt{AccountID: account.ID, Method: c.Request.Method, Path: c.Request.URL.Path}
	values := c.Request.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return a, nil
	}
	if a.Key = values[0]; len(values) > 1 || !visible(a.Key) || len(a.Key) > 255 || a.Key == "" {
		const must = "must be one value of 1 to 255 visible ASCII characters, such as a UUID"
		p := web.NewProblem("invalid-idempotency-key", "Idempotency-Key "+must+".")
		p.Errors = append(p.Errors, web.FieldError{Field: "Idempotency-Key", Message: must})
		return a, p
	}
	sum := sha256.Sum256(c.Body)
	a.BodyHash = hex.EncodeToString(sum[:])
	return a, nil
}

// visible reports whether a text has only visible ASCII characters.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
