package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"kindex/exports/safetext"
)

const discoveryLife = time.Hour

// oidcProvider signs in with an OpenID Connect provider, whose endpoints are discovered
// when first needed.
type oidcProvider struct {
	issuer string
	host   string
	plain  bool // the issuer is on this machine, so http is allowed
	config oauth2.Config
	client *http.Client
	now    func() time.Time

	mu   sync.Mutex // held while the metadata is fetched
	last *discovery // nil until fetching has succeeded once
	at   time.Time  // when it was fetched
}

// discovery is a provider's metadata (OpenID Connect Discovery 1.0).
type discovery struct {
	*oidc.Provider
	style oauth2.AuthStyle
	iss   bool // authorization responses name their issuer (RFC 9207)
}

func newOIDC(o OIDC, redirect string, now func() time.Time) (*oidcProvider, error) {
	if o.Issuer == "" {
		return nil, errors.New("--signin-oidc-issuer is required: set it to the address of the OpenID Connect provider")
	}
	issuer, err := providerURL("--signin-oidc-issuer", o.Issuer)
	if err != nil {
		return nil, err
	}
	if err := credentials(o.Client, "--signin-oidc-client", o.Secret, "KINDEX_SIGNIN_OIDC_SECRET"); err != nil {
		return nil, err
	}
	return &oidcProvider{issuer: o.Issuer, host: issuer.Host, plain: issuer.Scheme == "http", client: client(), now: now,
		config: oauth2.Config{ClientID: o.Client, ClientSecret: o.Secret, RedirectURL: redirect,
			Scopes: []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail}}}, nil
}

func (p *oidcProvider) name() string  { return "oidc" }
func (p *oidcProvider) title() string { return p.host }

// discover returns the provider's metadata, fetching it if it is missing or an hour old. If
// that fails, it returns the last known metadata.
func (p *oidcProvider) discover(ctx context.Context) (*discovery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && time.Since(p.at) < discoveryLife {
		return p.last, nil
	}
	// This caller may disconnect, but other callers wait for the result, too.
	ask, cancel := context.WithTimeout(context.WithoutCancel(ctx), providerTimeout)
	defer cancel()
	d, err := p.ask(oidc.ClientContext(ask, p.client))
	if err == nil {
		p.last, p.at = d, time.Now()
	} else if p.last == nil {
		return nil, err
	}
	return p.last, nil
}

func (p *oidcProvider) ask(ctx context.Context) (*discovery, error) {
	found, err := oidc.NewProvider(ctx, p.issuer)
	if err != nil {
		return nil, fmt.Errorf("the OpenID Connect provider %s does not publish its endpoints: %s", p.issuer, shorten(err.Error()))
	}
	var metadata struct {
		JWKS    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
		Iss     bool     `json:"authorization_response_iss_parameter_supported"`
	}
	if err := found.Claims(&metadata); err != nil {
		return nil, fmt.Errorf("the OpenID Connect provider %s: %w", p.issuer, err)
	}
	e := found.Endpoint()
	for _, address := range []string{e.AuthURL, e.TokenURL, metadata.JWKS, cmp.Or(found.UserInfoEndpoint(), e.TokenURL)} {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && !(p.plain && u.Scheme == "http" && safetext.Loopback(u.Hostname())) {
			return nil, fmt.Errorf("the OpenID Connect provider %s has the endpoint %q, which is not an https address", p.issuer, shorten(address))
		}
	}
	// Set the style explicitly: the library would find it by trial and error, but a code can be
	// sent only once.
	style := oauth2.AuthStyleInHeader
	if len(metadata.Methods) > 0 && !slices.Contains(metadata.Methods, "client_secret_basic") {
		style = oauth2.AuthStyleInParams
	}
	return &discovery{found, style, metadata.Iss}, nil
}

func (p *oidcProvider) as(d *discovery) *oauth2.Config {
	c := p.config
	c.Endpoint = d.Endpoint()
	c.Endpoint.AuthStyle = d.style
	return &c
}

func (p *oidcProvider) begin(ctx context.Context, a attempt) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return p.as(d).AuthCodeURL(a.state(), oidc.Nonce(a.nonce()), oauth2.S256ChallengeOption(a.verifier())), nil
}

func (p *oidcProvider) identify(ctx context.Context, a attempt, answer url.Values) (Identity, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	if iss := answer.Get("iss"); iss != p.issuer && (d.iss || answer.Has("iss")) {
		return Identity{}, fmt.Errorf("the response is from the issuer %q, not %q (RFC 9207)", shorten(iss), p.issuer)
	}
	code, err := answered(answer)
	if err != nil {
		return Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := exchange(ctx, p.as(d), code, a.verifier())
	if err != nil {
		return Identity{}, err
	}
	idToken, err := p.verify(ctx, d, token, a.nonce())
	if err != nil {
		return Identity{}, err
	}
	login, err := p.login(ctx, d, idToken, token)
	if err != nil {
		return Identity{}, err
	}
	return Identity{Provider: p.issuer, Subject: idToken.Subject, Login: login}, nil
}

// verify checks an id_token according to OpenID Connect Core 1.0, section 3.1.3.7: the
// library checks the signature, issuer, audience and times, and this function checks
// everything else.
func (p *oidcProvider) verify(ctx context.Context, d *discovery, token *oauth2.Token, nonce string) (*oidc.IDToken, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return nil, errors.New("the provider did not send an id_token")
	}
	t, err := d.Verifier(&oidc.Config{ClientID: p.config.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("the id_token: %w", err)
	}
	var more struct {
		Party string `json:"azp"`
	}
	err = t.Claims(&more)
	if err == nil && t.AccessTokenHash != "" {
		err = t.VerifyAccessToken(token.AccessToken)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the id_token: %w", err)
	case subtle.ConstantTimeCompare([]byte(t.Nonce), []byte(nonce)) != 1:
		return nil, errors.New("the id_token has a different nonce: it was issued for another sign-in")
	case more.Party != "" && more.Party != p.config.ClientID, more.Party == "" && len(t.Audience) > 1:
		return nil, fmt.Errorf("the id_token was issued for %q, not for this service alone", shorten(more.Party))
	case t.Subject == "" || len(t.Subject) > 255 || strings.ContainsFunc(t.Subject, func(r rune) bool { return r < ' ' || r == 0xfffd }):
		return nil, errors.New("the id_token has no usable subject") // at most 255 ASCII characters (section 2)
	}
	return t, nil
}

// login returns the user's login at the provider, or "" if it is unknown. It is only
// displayed; no decision depends on it.
func (p *oidcProvider) login(ctx context.Context, d *discovery, t *oidc.IDToken, token *oauth2.Token) (string, error) {
	var c nameClaims
	if err := t.Claims(&c); err != nil {
		return "", fmt.Errorf("the id_token: %w", err)
	}
	if login := c.login(); login != "" || d.UserInfoEndpoint() == "" {
		return login, nil
	}
	u, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	switch {
	case err != nil:
		return "", nil //nolint:nilerr // the account name can be derived without a login
	case u.Subject != t.Subject: // section 5.3.2
		return "", errors.New("the provider's user information and the id_token have different subjects")
	case u.Claims(&c) != nil:
		return "", nil //nolint:nilerr // as above
	}
	return c.login(), nil
}

type nameClaims struct {
	Preferred string `json:"preferred_username"`
	Email     string `json:"email"`
}

func (c nameClaims) login() string {
	if s := plainLogin(c.Preferred); s != "" {
		return s
	}
	local, _, _ := strings.Cut(plainLogin(c.Email), "@")
	return local
}
