// Package api handles requests under /api and requests for build files. Each resource has its
// own file.
package api

import (
	"kindex/edge/account"
	"kindex/edge/live"
	"kindex/edge/storage"
	"kindex/edge/web"
	"sync/atomic"
)

// API handles requests under /api and requests for build files. It is safe for concurrent use.
type API struct {
	accounts  *account.Service
	state     *storage.State
	oldBuilds *live.OldBuilds
	described atomic.Pointer[description] // of the declarations last asked for
}

// Options configure an API.
type Options struct {
	OldBuilds *live.OldBuilds
	State     *storage.State
	Accounts  *account.Service
	Shared    *web.Shared
}

// New returns an API.
func New(o Options) *API {
	return &API{accounts: o.Accounts, state: o.State, oldBuilds: o.OldBuilds}
}
