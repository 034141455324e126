// Package api handles requests under /api and requests for build files. Each resource has its
// own file.
package api

import (
	"context"

	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/live"
	"kindex/edge/openapi"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/web"
)

// API handles requests under /api and requests for build files. It is safe for concurrent use.
type API struct {
	accounts    *account.Service
	state       *storage.State
	keys        *apikey.Authenticator
	leakReports *ratelimit.Memory // the rate limit for reports of leaked keys
	oldBuilds   *live.OldBuilds
	lookups     *ratelimit.Buckets // of old builds that do not exist
	description struct {           // of the API
		yaml []byte
		json func() ([]byte, error)
	}
}

// Options configure an API.
type Options struct {
	OldBuilds *live.OldBuilds
	State     *storage.State
	Keys      *apikey.Authenticator
	Accounts  *account.Service
	Shared    *web.Shared
}

// New returns an API. The caller must close it.
func New(o Options) (*API, error) {
	a := &API{accounts: o.Accounts, state: o.State, keys: o.Keys, oldBuilds: o.OldBuilds, lookups: ratelimit.NewBuckets(lookupRate, lookupBurst, nil),
		leakReports: ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: o.Shared.Now, Log: o.Shared.Log})}
	var err error
	if a.description.yaml, a.description.json, err = openapi.With(o.Shared.ContactAddress); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// Close stops the limiters.
func (a *API) Close() { _ = a.leakReports.Close(context.Background()) } // nothing needs to be stored
