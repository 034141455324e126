package edge

import (
	"encoding/json"
	"errors"

	"kindex/edge/keys"
	"kindex/edge/limit"
	"kindex/edge/signin"
	"kindex/site/pages"
)

// keys shows what the account has used, and its keys.
func (v *visitor) keys() (shown, error) {
	p, err := v.keysPage()
	return shown{page: p}, err
}

func (v *visitor) keysPage() (*pages.DeveloperPage, error) {
	list, err := v.server.keysOf(v.request.Context(), v.account.ID)
	if err != nil {
		return nil, err
	}
	p := &pages.DeveloperPage{Member: v.member, Use: v.use(), Most: keys.MaxActive, Once: once()}
	for _, k := range list {
		p.Keys = append(p.Keys, panelKey(k))
	}
	return p, nil
}

func panelKey(k listedKey) pages.PanelKey {
	return pages.PanelKey{ID: k.ID, Name: k.Name, Masked: k.Masked, CreatedAt: k.CreatedAt, LastUsedAt: k.LastUsedAt}
}

// use is what the account has used of its limit. Looking costs nothing.
func (v *visitor) use() pages.Use {
	subject := limit.OfAccount(v.account.ID, v.account.Quota, v.account.Window, v.server.options.LimitKey)
	if subject.Limit == 0 {
		return pages.Use{Unlimited: true}
	}
	st, err := v.server.limits.Peek(v.request.Context(), subject)
	if err != nil {
		v.server.log.Error("reading a counter", "requestId", v.id, "error", err)
		return pages.Use{Unknown: true}
	}
	return pages.Use{Used: st.Limit - st.Remaining, Limit: st.Limit, Window: st.Window, Reset: st.Reset, Arranged: st.Tier == limit.Enterprise}
}

// makeKey makes a key and shows it, this once.
func (v *visitor) makeKey() (shown, error) {
	name := v.field("name")
	do, err := v.server.makeKey(v.account.ID, name)
	if err != nil {
		return v.noKey(name, err)
	}
	done, repeated, err := v.server.once(v.request.Context(), v.attempt(), do)
	switch {
	case err != nil:
		return v.noKey(name, err)
	case repeated:
		return shown{to: signin.Panel}, nil
	}
	var made createdKey
	if err := json.Unmarshal([]byte(done.Answer), &made); err != nil {
		return shown{}, err
	}
	return shown{page: &pages.NewKeyPage{Member: v.member, Name: made.Name, Key: made.Key}}, nil
}

// noKey gives the form back with what is wrong with it.
func (v *visitor) noKey(name string, err error) (shown, error) {
	var problem *Problem
	if !errors.As(err, &problem) || problem.Status >= 500 {
		return shown{}, err
	}
	p, failed := v.keysPage()
	if failed != nil {
		return shown{}, failed
	}
	p.Status, p.Name = problem.Status, name
	if p.Fault = problem.fault("name", "the name"); p.Fault == "" {
		p.Refused = problem.Detail
	}
	return shown{page: p}, nil
}

// ownKey is the key that the address names.
func (v *visitor) ownKey() (pages.PanelKey, error) {
	list, err := v.server.keysOf(v.request.Context(), v.account.ID)
	if err != nil {
		return pages.PanelKey{}, err
	}
	for _, k := range list {
		if k.ID == v.param("key") {
			return panelKey(k), nil
		}
	}
	return pages.PanelKey{}, newProblem("unknown-key", "The account has no such active key.")
}

// askToRevoke asks back.
func (v *visitor) askToRevoke() (shown, error) {
	k, err := v.ownKey()
	return shown{page: &pages.RevokeKeyPage{Member: v.member, Key: k}}, err
}

func (v *visitor) revokeKey() (shown, error) {
	revoked, err := v.server.endKey(v.request.Context(), v.account.ID, v.param("key"))
	if err == nil && !revoked {
		err = newProblem("unknown-key", "The account has no such active key.")
	}
	return shown{to: signin.Panel}, err
}
