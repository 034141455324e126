package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Purpose is the purpose that webhook secrets are sealed for, together with the id of the
// webhook.
const Purpose = "webhook"

// TestEvent is the name of the event that a test sends.
const TestEvent = "webhook.test"

// Secret signs deliveries to a webhook. It is never shown in texts or logs.
type Secret string

const secretPrefix = "whsec_"

// NewSecret returns a new secret of 32 random bytes.
func NewSecret() Secret {
	b := make([]byte, 32)
	rand.Read(b)
	return Secret(secretPrefix + base64.StdEncoding.EncodeToString(b))
}

// Reveal returns the secret, to be shown to its owner once.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer, and hides the secret.
func (Secret) String() string { return secretPrefix + "…" }

// GoString implements fmt.GoStringer, and hides the secret.
func (s Secret) GoString() string { return s.String() }

// MarshalText implements encoding.TextMarshaler, and hides the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// sign sets the headers of Standard Webhooks: the id, which is the same whenever the event
// is sent, the time of the attempt, and the signature of both and the body (HMAC-SHA256).
// With several secrets there is one signature each, separated by spaces: a receiver accepts
// the delivery if it knows one of them.
func sign(h http.Header, secrets []Secret, id string, at time.Time, body []byte) error {
	signatures := make([]string, len(secrets))
	for i, s := range secrets {
		w, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			return err
		}
		if signatures[i], err = w.Sign(id, at, body); err != nil {
			return err
		}
	}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}

// TestPayload returns the body of a test: it has the form of an event, without an
// entity.
func TestPayload(id string, at time.Time) []byte {
	b, err := json.Marshal(struct {
		ID        string   `json:"id"`
		Event     string   `json:"event"`
		Timestamp string   `json:"timestamp"`
		Entity    *string  `json:"entity"`
		Changes   []string `json:"changes"`
		ChangeIDs []string `json:"changeIds"`
	}{id, TestEvent, at.UTC().Format(time.RFC3339), nil, []string{}, []string{}})
	if err != nil {
		panic(err) // texts always encode
	}
	return b
}
