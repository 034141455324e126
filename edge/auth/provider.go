package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"
	"golang.org/x/text/unicode/norm"

	"kindex/exports/safetext"
)

// provider confirms the identity of people who sign in.
type provider interface {
	// name returns the provider's name as used in URLs.
	name() string
	// title returns the provider's display name.
	title() string
	// begin returns the address to send the browser to.
	begin(ctx context.Context, a attempt) (string, error)
	// identify returns the user for a callback. It checks everything except the state
	// parameter.
	identify(ctx context.Context, a attempt, answer url.Values) (Identity, error)
}

// providerTimeout limits how long a provider's response can take, and how long database
// operations that continue after the client disconnects can take.
const providerTimeout = 10 * time.Second

const maxAnswer = 1 << 20

// client returns an HTTP client for requests to providers. It does not follow redirects, so
// that secrets are sent only to the provider's endpoints.
func client() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 4
	t.ResponseHeaderTimeout = providerTimeout
	return &http.Client{Transport: bounded{t}, Timeout: providerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bounded cuts off responses that are too long.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	}
	return res, err
}

// providerURL parses a provider's address, which must be https, or http on loopback.
func providerURL(what, s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s %s: use the provider's address, such as https://accounts.example.org", what, safetext.Address(s))
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && safetext.Loopback(u.Hostname())) {
		return nil, fmt.Errorf("%s %s: a provider must have an https address", what, safetext.Address(s))
	}
	return u, nil
}

func credentials(client, clientFlag, secret, secretVariable string) error {
	switch {
	case client == "":
		return fmt.Errorf("%s is required: set it to the client ID that the provider assigned to this service", clientFlag)
	case secret == "":
		return fmt.Errorf("the environment variable %s is required: set it to the client secret that belongs to %s", secretVariable, clientFlag)
	}
	return nil
}

// refusal is an error response from the provider, which is explained to the user.
type refusal struct{ code string }

func (e *refusal) Error() string { return "the provider returned the error " + e.code }

// answered returns the authorization code in a callback, or its error (RFC 6749, section
// 4.1.2.1). An unknown error code is not shown, because anyone can craft a link that contains
// text of their choice.
func answered(answer url.Values) (code string, err error) {
	switch e := answer.Get("error"); e {
	case "":
	case "access_denied", "login_required", "consent_required", "interaction_required", "account_selection_required",
		"temporarily_unavailable", "server_error", "invalid_request", "unauthorized_client", "invalid_scope",
		"unsupported_response_type", "application_suspended", "redirect_uri_mismatch":
		return "", &refusal{e}
	default:
		return "", &refusal{"(unknown)"}
	}
	if code = answer.Get("code"); code == "" {
		return "", errors.New("the response has no code")
	}
	return code, nil
}

func exchange(ctx context.Context, c *oauth2.Config, code, verifier string) (*oauth2.Token, error) {
	token, err := c.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	var failed *oauth2.RetrieveError
	if errors.As(err, &failed) { // its message would contain the whole response
		status := 0
		if failed.Response != nil {
			status = failed.Response.StatusCode
		}
		return nil, fmt.Errorf("the provider rejected the code: status %d, error %q, %q",
			status, shorten(failed.ErrorCode), shorten(failed.ErrorDescription))
	}
	if err != nil {
		return nil, fmt.Errorf("exchanging the code for a token: %w", err)
	}
	return token, nil
}

// shorten truncates text from a provider, so that log lines remain readable.
func shorten(s string) string { return safetext.Shorten(s, 300) }

// maxName leaves room for a suffix that makes equal names unique: account names can have up
// to 64 characters.
const maxName = 40

// accountName derives an account name from a login at a provider. The name contains only
// lower-case ASCII letters, digits and hyphens, so that names cannot be confused with each
// other or with markup, options or paths.
func accountName(login string) string {
	if local, _, ok := strings.Cut(login, "@"); ok && local != "" {
		login = local // do not expose email addresses
	}
	var b strings.Builder
	for _, r := range strings.ToLower(norm.NFKD.String(login)) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 0x300 && r <= 0x36f: // a combining accent on the previous letter
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "user"
}

// maxLogin is the maximum length of a provider's login name, in bytes; longer ones are cut
// off.
const maxLogin = 200

// plainLogin returns a provider's login name without control characters and invisible
// characters.
func plainLogin(login string) string {
	login = strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(login, ""))
	return strings.TrimSpace(strings.ToValidUTF8(login[:min(len(login), maxLogin)], ""))
}
