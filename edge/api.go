package edge

import (
	"context"
	"kindex/edge/apikey"
	"kindex/edge/openapi"
	"kindex/edge/ratelimit"
	"kindex/edge/storage"
)

// API answers below /api, and for the files of builds. One answers any number of
// requests at once.
type API struct {
	accounts *Service
	state    *storage.State
	keys     *apikey.Authenticator
	reports  *ratelimit.Memory // of leaked keys
	dir      string            // the folder that build --out wrote
	old      oldBuilds
	// described is the description of the interface.
	described struct{ yaml, json []byte }
}

// APIOptions say what an API works with.
type APIOptions struct {
	Dir      string // the folder that build --out wrote
	State    *storage.State
	Keys     *apikey.Authenticator
	Accounts *Service
	Shared   *Shared
}

// newAPI returns an API. Close ends it.
func newAPI(o APIOptions) (*API, error) {
	a := &API{accounts: o.Accounts, state: o.State, keys: o.Keys, dir: o.Dir, old: oldBuilds{root: o.Dir},
		reports: ratelimit.NewMemory(nil, ratelimit.MemoryOptions{Now: o.Shared.now, Log: o.Shared.log})}
	var err error
	if a.described.yaml, a.described.json, err = openapi.With(o.Shared.contactAddress); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// close ends what counts.
func (a *API) close() { _ = a.reports.Close(context.Background()) } // it keeps nothing
