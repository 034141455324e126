package main

import (
	"os"

	"github.com/spf13/pflag"

	"kindex/edge/auth"
)

// signInOptions identify the providers that people can sign in with. Their secrets come
// from the environment, because every user of the machine can read command lines.
type signInOptions struct {
	issuer, oidcClient                 string
	gitHubClient, gitHubURL, gitHubAPI string
}

func (o *signInOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.gitHubClient, "signin-github-client", "", "client ID of a GitHub OAuth app for signing in")
	f.StringVar(&o.gitHubURL, "signin-github-url", "", "address of a GitHub Enterprise server (default https://github.com)")
	f.StringVar(&o.gitHubAPI, "signin-github-api", "", "address of the GitHub API (default: the usual address for --signin-github-url)")
	f.StringVar(&o.issuer, "signin-oidc-issuer", "", "address of an OpenID Connect provider for signing in")
	f.StringVar(&o.oidcClient, "signin-oidc-client", "", "client ID at the OpenID Connect provider")
}

// providers checks the options. A secret without a client is ignored.
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
