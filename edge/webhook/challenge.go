package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"kindex/builder/safedial"
)

// ChallengeEvent is the name of the message that asks an endpoint to confirm a webhook.
const ChallengeEvent = "webhook.challenge"

// ChallengeTimeout is how long an endpoint can take to respond to a challenge.
const ChallengeTimeout = 10 * time.Second

const maxChallengeLen = 1 << 10

// Challenge asks an endpoint to confirm that it wants to receive events: it must respond with 2xx
// and the random string from the request alone, as plain text or as {"challenge": "…"}. fault is
// the reason for a failure, for whoever registers the address, or "". err is a context error.
func (d *Dispatcher) Challenge(ctx context.Context, id, url string, secret Secret) (fault string, err error) {
	end, wait := d.Reserve(url)
	if wait > 0 {
		return "has a host for which the request limit has been reached; try again in a minute", nil
	}
	defer end()
	limited, cancel := context.WithTimeout(ctx, ChallengeTimeout)
	defer cancel()
	text := rand.Text()
	body, err := json.Marshal(struct {
		ID        string `json:"id"`
		Event     string `json:"event"`
		Timestamp string `json:"timestamp"`
		Challenge string `json:"challenge"`
	}{id, ChallengeEvent, d.Now().UTC().Format(time.RFC3339), text})
	if err != nil {
		return "", err
	}
	a := d.post(limited, url, []Secret{secret}, id, body, maxChallengeLen)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case a.outcome == "timeout":
		return "did not respond to the challenge within " + min(ChallengeTimeout, safedial.Timeout).String(), nil
	case !a.success():
		return "failed the challenge: " + strings.TrimSuffix(a.errorText(), "."), nil
	case !isChallengeEcho(a.body, text):
		return `failed the challenge: it must respond to the webhook.challenge message with the value of the message's "challenge" member, as plain text or as {"challenge": "…"}`, nil
	}
	return "", nil
}

func isChallengeEcho(answer []byte, text string) bool {
	var members map[string]string
	if json.Unmarshal(answer, &members) == nil {
		return len(members) == 1 && members["challenge"] == text
	}
	return strings.TrimSpace(string(answer)) == text
}
