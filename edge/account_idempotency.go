package edge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"kindex/edge/storage"
)

// outcome is what a write has come to.
type outcome struct {
	status   int
	body     any    // nil for none
	location string // the address of what was made, "" for none
	// secretID names what the body holds the secret of, "" where it holds none.
	// Such an answer is given once only.
	secretID string
}

// writeOnce makes a write in one transaction, together with its Idempotency-Key if one
// was sent: then the same write sent again gets the same answer for 24 hours, and
// has no further effect. The caller must have an account. do may be run several
// times.
func (s *Service) writeOnce(c *call, do write) (*reply, error) {
	a, err := attemptOf(c)
	if err != nil {
		return nil, err
	}
	done, repeated, err := s.once(c.request.Context(), a, do)
	if err != nil {
		return nil, err
	}
	return replyTo(a, done, repeated)
}

// write is what a write does within its transaction. It may be run several times.
type write func(tx *storage.Tx) (outcome, error)

// once makes a write that was not made before, or tells that it was, and what came
// of it.
func (s *Service) once(ctx context.Context, a storage.Attempt, do write) (done storage.Done, repeated bool, err error) {
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
		done = storage.Done{BodyHash: a.BodyHash, Status: o.status, Location: o.location, SecretID: o.secretID}
		if o.body != nil {
			done.Answer = string(appendJSON(nil, o.body)) + "\n"
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
	return done, repeated, stateProblem(err)
}

func replyTo(a storage.Attempt, done storage.Done, repeated bool) (*reply, error) {
	r := &reply{status: done.Status, body: []byte(done.Answer), header: http.Header{}}
	if done.Location != "" {
		r.header.Set("Location", done.Location)
	}
	if !repeated {
		return r, nil
	}
	switch {
	case done.BodyHash != a.BodyHash:
		return nil, newProblem("idempotency-key-reused", "This Idempotency-Key was sent with another body within the last 24 hours; a new write needs a new key.")
	case done.SecretID != "":
		return nil, newProblem("secret-shown-once", "This write was made already: it made "+done.SecretID+", whose secret was shown in the first answer only.")
	}
	r.header.Set("Idempotency-Replayed", "true")
	return r, nil
}

// repeatable tells whether the write came with an Idempotency-Key, so that it may
// have been made before.
func repeatable(c *call) bool { return len(c.request.Header.Values("Idempotency-Key")) > 0 }

// attemptOf reads the Idempotency-Key.
func attemptOf(c *call) (storage.Attempt, error) {
	account, err := c.account()
	if err != nil {
		return storage.Attempt{}, err
	}
	a := storage.Attempt{AccountID: account.ID, Method: c.request.Method, Path: c.request.URL.Path}
	values := c.request.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return a, nil
	}
	if a.Key = values[0]; len(values) > 1 || !visible(a.Key) || len(a.Key) > 255 || a.Key == "" {
		const must = "must be one value of 1 to 255 visible ASCII characters, such as a UUID"
		p := newProblem("invalid-idempotency-key", "Idempotency-Key "+must+".")
		p.Errors = append(p.Errors, FieldError{"Idempotency-Key", must})
		return a, p
	}
	sum := sha256.Sum256(c.body)
	a.BodyHash = hex.EncodeToString(sum[:])
	return a, nil
}

// visible tells whether a text has only visible ASCII characters.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
