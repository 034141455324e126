// Package api handles requests under /api and requests for build files. Each resource has its
// own file.
package api

import (
	"kindex/edge/account"
	"kindex/edge/apikey"
	"kindex/edge/live"
	"kindex/edge/openapi"
	"kindex/edge/storage"
	"kindex/edge/web"
	"sync"
)

// API handles requests under /api and requests for build files. It is safe for concurrent use.
type API struct {
	accounts     *account.Service
	state        *storage.State
	keys         *apikey.Authenticator
	oldBuilds    *live.OldBuilds
	descriptions sync.Map // *description, by the names of the kinds
}

// Options configure an API.
type Options struct {
	OldBuilds *live.OldBuilds
	State     *storage.State
	Keys      *apikey.Authenticator
	Accounts  *account.Service
	Shared    *web.Shared
}

// New returns an API.
func New(o Options) (*API, error) {
	_, _, err := openapi.With(o.Shared.ContactAddress, nil) // reports a contact that cannot be written
	return &API{accounts: o.Accounts, state: o.State, keys: o.Keys, oldBuilds: o.OldBuilds}, err
}
