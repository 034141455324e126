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

// Purpose is the purpose for which webhook secrets are sealed. Each secret is also bound to the id
// of its webhook.
const Purpose = "webhook"

// TestEvent is the name of the event in a test delivery.
const TestEvent = "webhook.test"

// Secret signs deliveries to a webhook. It is never shown in messages or logs.
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

// sign sets the headers of Standard Webhooks: the id, which is the same whenever the event is
// sent, the time of the attempt, and the signatures of id, time and body (HMAC-SHA256), one with
// each secret. A receiver accepts the delivery if it knows one of the secrets.
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

// TestPayload returns the body of a test delivery, which has the form of an event without an
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
		panic(err) // strings can always be encoded
	}
	return b
}
