package webhook

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"kindex/builder/suite"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// after records an attempt at an event and returns the results.
func (s Schedule) after(w Webhook, a attemptResult, now time.Time, random float64) (Webhook, Delivery) {
	d := Delivery{Kind: ForEvent, Status: Pending}
	s.record(&w, &d, a, now, random)
	return w, d
}

func TestTheScheduleIsKeptWithJitter(t *testing.T) {
	w := Webhook{}
	now := noon
	for i, rest := range DefaultSchedule {
		for _, random := range []float64{0, 0.5, 0.999} {
			v, d := DefaultSchedule.after(w, attemptResult{status: 500}, now, random)
			got, off := v.NextAt.Sub(now), float64(v.NextAt.Sub(now))/float64(rest)-1
			if v.FailedAttempts != i+1 || d.Status != Pending || !v.Active() || off < -0.2 || off > 0.2 || (random == 0.5) != (got == rest) {
				t.Fatalf("failure %d: %+v after %v, the schedule has %v", i+1, v, got, rest)
			}
		}
		w, _ = DefaultSchedule.after(w, attemptResult{status: 500}, now, 0.5)
		now = w.NextAt
	}
	if v, d := DefaultSchedule.after(w, attemptResult{}, now, 0.5); d.Status != Failed || v.FailedAttempts != 0 || !v.NextAt.IsZero() || v.FailingSince != noon {
		t.Errorf("after the schedule: %+v", v)
	}
	if v, d := DefaultSchedule.after(w, attemptResult{status: 204}, now, 0.5); d.Status != Succeeded || v.FailedAttempts != 0 || !v.FailingSince.IsZero() || !v.NextAt.IsZero() {
		t.Errorf("a success: %+v", v)
	}
}

func TestSwitchingOff(t *testing.T) {
	for _, c := range []struct {
		status  int
		failing time.Duration
		off     bool
	}{{410, 0, true}, {500, 5*24*time.Hour - 1, false}, {500, 5 * 24 * time.Hour, true}, {0, 6 * 24 * time.Hour, true},
		{200, 6 * 24 * time.Hour, false}, {404, time.Hour, false}, {301, time.Hour, false}} {
		v, d := DefaultSchedule.after(Webhook{FailingSince: noon.Add(-c.failing)}, attemptResult{status: c.status, retryAfter: time.Hour}, noon, 0.5)
		if v.Active() == c.off || c.off && (v.DisabledReason == "" || d.Status != Pending) {
			t.Errorf("%d after %v: %+v", c.status, c.failing, v)
		}
	}
}

func TestOnly2xxIsSuccess(t *testing.T) {
	for status, ok := range map[int]bool{0: false, 100: false, 199: false, 200: true, 204: true, 299: true, 300: false, 301: false, 304: false, 307: false, 400: false, 429: false, 500: false} {
		a := attemptResult{status: status}
		if a.success() != ok || (a.errorText() == "") != ok {
			t.Errorf("%d: %v, %q", status, a.success(), a.errorText())
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct{ asked, least, most time.Duration }{
		{time.Second, 5 * time.Second, 6 * time.Second}, // not sooner than the first pause of the schedule
		{time.Hour, time.Hour, 70 * time.Minute},
		{MaxRetryAfter, MaxRetryAfter, 28 * time.Hour},
	} {
		for _, random := range []float64{0, 0.999} {
			v, d := DefaultSchedule.after(Webhook{FailedAttempts: 9}, attemptResult{status: 429, retryAfter: c.asked}, noon, random)
			if rest := v.NextAt.Sub(noon); rest < c.least || rest > c.most || v.FailedAttempts != 9 || d.Status != Pending {
				t.Errorf("Retry-After %v: %+v after %v", c.asked, v, rest)
			}
		}
	}
}

func TestSignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	secret := NewSecret()
	receiver := suite.Must(standardwebhooks.NewWebhook(secret.Reveal()))(t)
	h := http.Header{}
	body := []byte(`{"id":"evt_1"}`)
	suite.Check(t, sign(h, []Secret{secret}, "evt_1", time.Now(), body))
	suite.Check(t, receiver.Verify(body, h))
	suite.Is(t, receiver.Verify([]byte(`{"id":"evt_2"}`), h), standardwebhooks.ErrNoMatchingSignature, "different body")
	h.Set("webhook-id", "evt_2")
	suite.Is(t, receiver.Verify(body, h), standardwebhooks.ErrNoMatchingSignature, "different id")
	if s := NewSecret(); s == secret || !strings.HasPrefix(s.Reveal(), "whsec_") || len(s.Reveal()) != 50 {
		t.Errorf("%d characters", len(s.Reveal()))
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		suite.Lacks(t, fmt.Sprintf(verb, struct{ S Secret }{secret}), secret.Reveal()[7:20], verb)
	}
}
