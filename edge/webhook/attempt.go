package webhook

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	stdnet "net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"kindex/builder/safedial"
)

// maxResponseLen is the maximum number of bytes read from a response. The content is ignored,
// but the connection can be reused only after reading it.
const maxResponseLen = 64 << 10

type attemptResult struct {
	status     int    // 0 if there was no response
	failure    string // why there was no valid response, for the owner to read
	outcome    string // for the metrics
	retryAfter time.Duration
	duration   time.Duration
	postpone   time.Duration // if not 0, nothing was sent because of the host's rate limit; retry after this time
	body       []byte        // the beginning of the response, if requested
}

func (a attemptResult) success() bool { return a.status >= 200 && a.status < 300 && a.failure == "" }

func (a attemptResult) errorText() string {
	switch {
	case a.success():
		return ""
	case a.failure != "":
		return a.failure
	case a.status >= 300 && a.status < 400:
		return "The receiver returned " + strconv.Itoa(a.status) + ": redirects are not followed; register the target address."
	}
	return "The receiver returned " + strings.TrimSpace(strconv.Itoa(a.status)+" "+http.StatusText(a.status)) + "."
}

// post sends a body once, and reads up to maxBody bytes of the response. If there is no response,
// the result contains only what the owner of the webhook may know.
func (d *Dispatcher) post(ctx context.Context, url string, secrets []Secret, id string, body []byte, maxBody int64) (a attemptResult) {
	defer func(start time.Time) { a.duration = time.Since(start) }(time.Now())
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return attemptResult{failure: "The address is invalid.", outcome: "address"}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", d.Agent)
	if err := sign(r.Header, secrets, id, d.Now(), body); err != nil {
		return attemptResult{failure: "The delivery could not be signed.", outcome: "internal"}
	}
	response, err := d.Client.Do(r)
	var busy *safedial.BusyError
	if errors.As(err, &busy) {
		return attemptResult{postpone: busy.Wait, failure: "The request limit for this host has been reached.", outcome: "postponed"}
	}
	if err != nil {
		failure, outcome := describeError(err)
		return attemptResult{failure: failure, outcome: outcome}
	}
	defer response.Body.Close()
	if response.StatusCode < 100 || response.StatusCode > 599 { // HTTP/2 allows any number
		return attemptResult{failure: "The receiver returned an invalid status.", outcome: "status"}
	}
	wait, _ := safedial.RetryAfter(response.Header, d.Now(), MaxRetryAfter)
	a = attemptResult{status: response.StatusCode, outcome: strconv.Itoa(response.StatusCode/100) + "xx", retryAfter: wait}
	if maxBody > 0 {
		a.body, _ = io.ReadAll(io.LimitReader(response.Body, maxBody)) // the status is known, so a partial body is fine
	}
	// Only the status matters. The rest is read so that the connection can be reused.
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxResponseLen))
	return a
}

// describeError describes why there was no response. The error itself may contain the
// addresses of the host, and the URL may contain secrets of its owner: neither may appear in
// a log.
func describeError(err error) (failure, outcome string) {
	var timeout stdnet.Error
	var name *stdnet.DNSError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(err, safedial.ErrRefused):
		return "The host has an address that is not on the public internet.", "refused"
	case errors.As(err, &certificate):
		return "The receiver's certificate is not trusted.", "tls"
	case errors.As(err, &alert), errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "The TLS connection failed.", "tls"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "No response within " + safedial.Timeout.String() + ".", "timeout"
	case errors.As(err, &name):
		return "The host has no address.", "name"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The connection was refused.", "connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "The connection was closed.", "connection"
	}
	return "No response.", "connection"
}

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
