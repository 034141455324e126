package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/oauth2"
)

// github signs users in through an OAuth app. It does not request any scopes, because a user's
// identity is public.
type github struct {
	address string // the address of GitHub, which is also the Provider of its identities
	host    string
	user    string // the API address of the signed-in user
	config  oauth2.Config
	client  *http.Client
}

func newGitHub(o GitHub, redirect string) (*github, error) {
	if err := credentials(o.Client, "--signin-github-client", o.Secret, "KINDEX_SIGNIN_GITHUB_SECRET"); err != nil {
		return nil, err
	}
	site, err := providerURL("--signin-github-url", cmp.Or(o.URL, "https://github.com"))
	if err != nil {
		return nil, err
	}
	api, err := providerURL("--signin-github-api", cmp.Or(o.API, apiOf(site)))
	if err != nil {
		return nil, err
	}
	address := strings.TrimRight(site.String(), "/")
	return &github{address: address, host: site.Host, user: strings.TrimRight(api.String(), "/") + "/user", client: client(),
		config: oauth2.Config{ClientID: o.Client, ClientSecret: o.Secret, RedirectURL: redirect, Endpoint: oauth2.Endpoint{
			AuthURL: address + "/login/oauth/authorize", TokenURL: address + "/login/oauth/access_token", AuthStyle: oauth2.AuthStyleInParams}}}, nil
}

// apiOf returns the API address of a site: github.com and enterprises on ghe.com have a
// separate API host, while self-hosted servers use a path.
func apiOf(site *url.URL) string {
	if site.Host == "github.com" || strings.HasSuffix(site.Host, ".ghe.com") {
		return site.Scheme + "://api." + site.Host
	}
	return strings.TrimRight(site.String(), "/") + "/api/v3"
}

func (g *github) name() string { return "github" }

func (g *github) title() string {
	if g.host == "github.com" {
		return "GitHub"
	}
	return "GitHub at " + g.host
}

func (g *github) begin(_ context.Context, a attempt) (string, error) {
	return g.config.AuthCodeURL(a.state(), oauth2.S256ChallengeOption(a.verifier())), nil
}

func (g *github) identify(ctx context.Context, a attempt, answer url.Values) (Identity, error) {
	code, err := answered(answer)
	if err != nil {
		return Identity{}, err
	}
	token, err := exchange(context.WithValue(ctx, oauth2.HTTPClient, g.client), &g.config, code, a.verifier())
	if err != nil {
		return Identity{}, err
	}
	who, err := g.whoHas(ctx, token)
	if err != nil {
		return Identity{}, fmt.Errorf("reading the signed-in user: %w", err)
	}
	return who, nil
}

// whoHas returns the user to whom a token belongs. The numeric id is permanent, while logins
// can be given up and reused.
func (g *github) whoHas(ctx context.Context, token *oauth2.Token) (who Identity, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, g.user, nil) //nolint:gosec // the operator chose the address
	if err != nil {
		return who, err
	}
	r.Header.Set("Authorization", "Bearer "+token.AccessToken)
	r.Header.Set("Accept", "application/vnd.github+json")
	r.Header.Set("User-Agent", "kindex")
	res, err := g.client.Do(r) //nolint:gosec // as above
	if err != nil {
		return who, err
	}
	defer res.Body.Close()
	var user struct {
		ID    int64  `json:"id"`
		Login string `json:"login"`
	}
	if res.StatusCode != http.StatusOK {
		return who, fmt.Errorf("the API returned status %d", res.StatusCode)
	}
	if err := json.NewDecoder(res.Body).Decode(&user); err != nil {
		return who, err
	}
	if user.ID <= 0 {
		return who, errors.New("the API returned no id")
	}
	return Identity{Provider: g.address, Subject: strconv.FormatInt(user.ID, 10), Login: plainLogin(user.Login)}, nil
}
