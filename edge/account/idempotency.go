package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"kindex/edge/storage"
	"kindex/edge/web"
)

// Result is the outcome of a write.
type Result struct {
	Status   int
	Body     any    // nil if the response has no body
	Location string // the address of the created resource, or "" if there is none
	// secretID is the id of the resource whose secret is in the body, or "" if there is none.
	// A response with a secret is sent only once.
	secretID string
}

// Write performs a write in one transaction. If the request has an Idempotency-Key, the
// response is stored with it: for 24 hours, repeating the same write returns the same response
// and has no further effect. The caller must have an account. fn may be called more than once.
func (s *Service) Write(c *web.Call, fn WriteFunc) (*web.Reply, error) {
	a, err := readIdempotencyKey(c)
	if err != nil {
		return nil, err
	}
	done, repeated, err := s.WriteOnce(c.Request.Context(), a, fn)
	switch {
	case err != nil:
		return nil, err
	case repeated && done.BodyHash != a.BodyHash:
		return nil, web.NewProblem("idempotency-key-reused", "This Idempotency-Key was used with a different body within the last 24 hours; use a new key for a new request.")
	case repeated && done.SecretID != "":
		return nil, web.NewProblem("secret-shown-once", "This request was already processed: it created "+done.SecretID+", whose secret was shown only in the first response.")
	}
	r := &web.Reply{Status: done.Status, Body: []byte(done.Answer), Header: http.Header{}}
	if done.Location != "" {
		r.Header.Set("Location", done.Location)
	}
	if repeated {
		r.Header.Set("Idempotency-Replayed", "true")
	}
	return r, nil
}

// WriteFunc performs a write within its transaction. It may be called more than once.
type WriteFunc func(tx *storage.Tx) (Result, error)

// WriteOnce performs a write unless it was performed before, in which case it returns the
// earlier outcome.
func (s *Service) WriteOnce(ctx context.Context, a storage.IdempotencyKey, fn WriteFunc) (done storage.IdempotencyRecord, repeated bool, err error) {
	err = s.State.Write(ctx, func(tx *storage.Tx) error {
		done, repeated = storage.IdempotencyRecord{}, false
		if a.Key != "" {
			earlier, err := tx.ClaimIdempotency(a)
			if err != nil {
				return err
			}
			if earlier != nil {
				done, repeated = *earlier, true
				return nil
			}
		}
		result, err := fn(tx)
		if err != nil {
			return err
		}
		done = storage.IdempotencyRecord{BodyHash: a.BodyHash, Status: result.Status, Location: result.Location, SecretID: result.secretID}
		if result.Body != nil {
			done.Answer = string(web.AppendJSON(nil, result.Body)) + "\n"
		}
		if a.Key == "" {
			return nil
		}
		kept := done
		if kept.SecretID != "" {
			kept.Answer = ""
		}
		return tx.SaveIdempotency(a, kept)
	})
	return done, repeated, web.StateProblem(err)
}

// HasIdempotencyKey reports whether the request has an Idempotency-Key, and may therefore
// repeat an earlier write.
func HasIdempotencyKey(c *web.Call) bool { return len(c.Request.Header.Values("Idempotency-Key")) > 0 }

// readIdempotencyKey reads and checks the Idempotency-Key of a request. If there is none, the
// Key of the result is "".
func readIdempotencyKey(c *web.Call) (storage.IdempotencyKey, error) {
	account, err := c.Account()
	if err != nil {
		return storage.IdempotencyKey{}, err
	}
	a := storage.IdempotencyKey{AccountID: account.ID, Method: c.Request.Method, Path: c.Request.URL.Path}
	values := c.Request.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return a, nil
	}
	if a.Key = values[0]; len(values) > 1 || !isVisibleASCII(a.Key) || len(a.Key) > 255 || a.Key == "" {
		const must = "must be a single value of 1 to 255 visible ASCII characters, such as a UUID"
		p := web.NewProblem("invalid-idempotency-key", "Idempotency-Key "+must+".")
		p.Errors = append(p.Errors, web.FieldError{Field: "Idempotency-Key", Message: must})
		return a, p
	}
	sum := sha256.Sum256(c.Body)
	a.BodyHash = hex.EncodeToString(sum[:])
	return a, nil
}

func isVisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
