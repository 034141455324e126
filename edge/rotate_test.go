package edge

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kindex/builder/safedial"
	"kindex/builder/suite"
	"kindex/edge/account"
	"kindex/edge/seal"
	"kindex/edge/storage/storagetest"
)

// TestRotateWebhook replaces a leaked secret. For a day both secrets are valid, so that a
// receiver misses no delivery; after that, the leaked secret is no longer used to sign anything.
// Replacing the secret twice in a row makes the leaked secret useless immediately.
func TestRotateWebhook(t *testing.T) {
	suite.InTest(t)
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		var later atomic.Int64
		older, newer := seal.Generate(), seal.Generate()
		h := serveHooked(t, target, func(o *Options) {
			o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
			o.OperatorKeys = parsedKeys(t, older)
		})
		ada, k := h.newKey(t, "ada")
		eve, _ := h.newKey(t, "eve")
		key := ada.Reveal()
		defer work(t, h.Server)()
		var made account.CreatedWebhook
		h.send(t, "POST", "/api/webhooks", key, `{"url":"`+h.receiver.URL+`/hook","events":["entity.updated"]}`, 201, &made)
		own := "/api/webhooks/" + made.ID

		// delivered sends a test delivery and returns which of the secrets verify it.
		sent := 0
		delivered := func(secrets ...string) (signatures int, valid []bool) {
			t.Helper()
			h.send(t, "POST", own+"/test", key, "", 202, nil)
			sent++
			suite.Eventually(t, "the test has come", func() bool { n, _, _ := h.received(); return n == sent })
			_, last, body := h.received()
			for _, s := range secrets {
				verify := suite.Must(standardwebhooks.NewWebhook(s))(t)
				// The delivery's timestamp comes from the test clock, which the library does not
				// use.
				valid = append(valid, verify.VerifyIgnoringTimestamp(body, last.Header) == nil)
			}
			return len(strings.Fields(last.Header.Get("webhook-signature"))), valid
		}
		expect := func(when string, signatures int, secrets []string, want ...bool) {
			t.Helper()
			n, valid := delivered(secrets...)
			suite.Equal(t, n, signatures, when)
			for i := range want {
				suite.Equal(t, valid[i], want[i], when, "secret", i, "verifies")
			}
		}
		expect("before a rotation", 1, []string{made.Secret}, true)

		h.send(t, "POST", own+"/rotate", "", "", 401, nil)
		h.send(t, "POST", own+"/rotate", eve.Reveal(), "", 404, nil)
		h.send(t, "POST", own+"/rotate", key, `{"secret":"whsec_mine"}`, 400, nil)
		expect("after refused rotations", 1, []string{made.Secret}, true)

		var first, second account.RotatedWebhook
		a := h.send(t, "POST", own+"/rotate", key, "", 200, &first, "Idempotency-Key", "r-1")
		if until := time.Until(first.PreviousSecretExpiresAt); until < 23*time.Hour || until > 25*time.Hour || first.Secret == made.Secret || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s", a.body)
		}
		h.send(t, "POST", own+"/rotate", key, "", 409, nil, "Idempotency-Key", "r-1").says(t, made.ID).lacks(t, "whsec_")
		expect("within a day", 2, []string{made.Secret, first.Secret}, true, true)
		h.send(t, "GET", own, key, "", 200, nil).lacks(t, "whsec_")

		// Meanwhile, the operator's key is replaced, and both secrets are sealed with the new
		// key.
		for _, keys := range []string{newer + "\n" + older, older + "\n" + newer} {
			if n, err := h.state.Rekey(t.Context(), parsedKeys(t, keys)); err != nil || n != 2 {
				t.Fatalf("%d secrets were resealed with the new key, %v", n, err)
			}
		}

		h.send(t, "POST", own+"/rotate", key, "", 200, &second)
		expect("after a second rotation", 2, []string{made.Secret, first.Secret, second.Secret}, false, true, true)
		later.Store(int64(23 * time.Hour))
		expect("after 23 hours", 2, []string{first.Secret, second.Secret}, true, true)
		later.Store(int64(24*time.Hour + time.Minute))
		expect("after a day", 1, []string{first.Secret, second.Secret}, false, true)
		tomorrow := storagetest.OpenAt(t, target, func() time.Time { return time.Now().Add(25 * time.Hour) })
		suite.Check(t, tomorrow.Purge(t.Context()))
		w := suite.Must(h.state.Webhook(t.Context(), k.AccountID, made.ID))(t)
		suite.Holds(t, w.PreviousSealed == "", "after a day, the database", w)
		suite.LacksAll(t, h.log.String(), made.Secret, first.Secret, second.Secret)
	})
}

func parsedKeys(t testing.TB, text string) *seal.Keys {
	t.Helper()
	return suite.Must(seal.Parse(text))(t)
}

// TestRegistrationIsRepeatedWithoutItsName repeats a webhook registration after its host name
// has stopped resolving.
func TestRegistrationIsRepeatedWithoutItsName(t *testing.T) {
	names := fixedNames{"hook.example": "8.8.8.8"}
	h := serveFew(t, Options{LimitKey: 100, Guard: safedial.New(safedial.Options{Resolver: names, Dial: noNetwork})})
	key, _ := h.keyOf(t, "account")
	const body = `{"url":"https://hook.example/","events":["entity.created"]}`
	made := h.send(t, "POST", "/api/webhooks", key, body, "Idempotency-Key", "one")
	var told account.CreatedWebhook
	if err := json.Unmarshal(made.body, &told); err != nil || made.status != http.StatusCreated {
		t.Fatalf("%d %s", made.status, made.body)
	}
	delete(names, "hook.example")
	for _, c := range []struct {
		key, body string
		status    int
		says      string
	}{
		{"one", body, http.StatusConflict, told.ID},
		{"one", strings.Replace(body, "created", "updated", 1), http.StatusUnprocessableEntity, "different body"},
		{"two", body, http.StatusBadRequest, "hook.example"},
	} {
		h.send(t, "POST", "/api/webhooks", key, c.body, "Idempotency-Key", c.key).want(t, c.status, c.says)
	}
}
