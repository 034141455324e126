package main

import (
	"os"

	"github.com/spf13/pflag"

	"kindex/edge/auth"
)

// signInOptions name the providers that people may sign in with. Their secrets come
// from the environment: a command line can be read by everybody on the machine.
type signInOptions struct {
	issuer, oidcClient                 string
	gitHubClient, gitHubURL, gitHubAPI string
}

func (o *signInOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.gitHubClient, "signin-github-client", "", "client id of an OAuth app of GitHub, for signing in")
	f.StringVar(&o.gitHubURL, "signin-github-url", "", "address of a GitHub Enterprise (default https://github.com)")
	f.StringVar(&o.gitHubAPI, "signin-github-api", "", "address of its API (default: where a GitHub has it)")
	f.StringVar(&o.issuer, "signin-oidc-issuer", "", "address of an OpenID Connect provider, for signing in")
	f.StringVar(&o.oidcClient, "signin-oidc-client", "", "client id at that provider")
}

// providers checks what was given. A secret without a client is left alone.
func (o *signInOptions) providers(url string) (auth.Options, error) {
	s := auth.Options{URL: url}
	if o.gitHubClient != "" || o.gitHubURL != "" || o.gitHubAPI != "" {
		s.GitHub = auth.GitHub{Client: o.gitHubClient, URL: o.gitHubURL, API: o.gitHubAPI, Secret: os.Getenv("KINDEX_SIGNIN_GITHUB_SECRET")}
	}
	if o.issuer != "" || o.oidcClient != "" {
		s.OIDC = auth.OIDC{Issuer: o.issuer, Client: o.oidcClient, Secret: os.Getenv("KINDEX_SIGNIN_OIDC_SECRET")}
	}
	if !s.Configured() {
		return s, nil
	}
	return s, s.Check()
}
