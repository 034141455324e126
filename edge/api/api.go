// Package api handles requests under /api and requests for build files. Each resource has its
// own file.
package api

import (
	"kindex/edge/account"
	"kindex/edge/live"
	"kindex/edge/storage"
	"sync/atomic"
)

// API handles requests under /api and requests for build files. It is safe for concurrent use.
type API struct {
	accounts  *account.Service
	state     *storage.State
	oldBuilds *live.OldBuilds
	described atomic.Pointer[description] // of the declarations last asked for
}

// New returns an API.
func New(oldBuilds *live.OldBuilds, state *storage.State, accounts *account.Service) *API {
	return &API{oldBuilds: oldBuilds, state: state, accounts: accounts}
}
