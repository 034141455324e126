package apikey

import (
	"testing"
	"time"

	"kindex/builder/suite"
)

func TestScopes(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  Scopes
	}{
		{[]string{"read"}, ScopesOf(ScopeRead)}, {[]string{"keys", "read"}, ScopesOf(ScopeRead, ScopeKeys)},
		{[]string{"read", "submit", "webhooks", "keys"}, Everything},
		{nil, 0}, {[]string{}, 0}, {[]string{""}, 0}, {[]string{"Read"}, 0}, {[]string{"read", "read"}, 0}, {[]string{"read", "admin"}, 0},
	} {
		got, err := ParseScopes(c.names)
		suite.Holds(t, got == c.want && (err == nil) == (c.want != 0), c.names, got, err)
		suite.Holds(t, c.want == 0 || got.Names()[0] != "", c.names, got.Names())
	}
	suite.Equal(t, ScopesOf(ScopeKeys, ScopeRead).Names(), []string{"read", "keys"})
	if DefaultScopes.Has(ScopeKeys) || !Everything.Covers(DefaultScopes) || DefaultScopes.Covers(Everything) || !DefaultScopes.Covers(0) {
		t.Error("the default scopes are not all scopes except keys")
	}
}

func TestCheckExpiry(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for at, ok := range map[time.Time]bool{now: false, now.Add(time.Second): true, now.AddDate(5, 0, 0): true, now.AddDate(6, 0, 0): false,
		{}: false, now.Add(-time.Hour): false, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC): false} {
		err := CheckExpiry(at, now)
		suite.Holds(t, (err == nil) == ok, at, err)
	}
}

// Remembered returns the number of refusals that are remembered.
func Remembered(a *Authenticator) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.refused)
}

// Use records that the key with this id was used at the given time.
func Use(a *Authenticator, id string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = at
}
