package apikey

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scope is a part of the API that a key can be allowed to use.
type Scope string

// The scopes.
const (
	ScopeRead     Scope = "read"     // everything that can be read without a key
	ScopeSubmit   Scope = "submit"   // the account's submissions
	ScopeWebhooks Scope = "webhooks" // the account's webhooks and their deliveries
	ScopeKeys     Scope = "keys"     // the account's keys and its audit log
)

// AllScopes lists all scopes, in display order.
var AllScopes = []Scope{ScopeRead, ScopeSubmit, ScopeWebhooks, ScopeKeys}

// Scopes is a set of scopes. The zero value is the empty set.
type Scopes uint8

// Sets of scopes.
var (
	Everything = ScopesOf(AllScopes...)
	// DefaultScopes are the scopes that a new key gets if the request names none. They do not
	// allow creating or revoking other keys.
	DefaultScopes = ScopesOf(ScopeRead, ScopeSubmit, ScopeWebhooks)
)

// ScopesOf returns the set that contains the given scopes.
func ScopesOf(list ...Scope) (s Scopes) {
	for _, one := range list {
		s |= 1 << slices.Index(AllScopes, one)
	}
	return s
}

// Has reports whether the set contains a scope.
func (s Scopes) Has(one Scope) bool { return s&ScopesOf(one) != 0 }

// Covers reports whether the set contains all scopes of another set.
func (s Scopes) Covers(other Scopes) bool { return other&^s == 0 }

// Names returns the names of the scopes in the order of AllScopes.
func (s Scopes) Names() []string {
	names := []string{}
	for _, one := range AllScopes {
		if s.Has(one) {
			names = append(names, string(one))
		}
	}
	return names
}

func (s Scopes) String() string { return strings.Join(s.Names(), ", ") }

// ParseScopes returns the set of scopes with the given names. If a name is unknown, the error
// lists the known scopes.
func ParseScopes(names []string) (s Scopes, err error) {
	if len(names) == 0 {
		return 0, fmt.Errorf("must name at least one of %s", Everything)
	}
	for _, name := range names {
		one := Scope(name)
		switch {
		case !slices.Contains(AllScopes, one):
			return 0, fmt.Errorf("names an unknown scope; known scopes: %s", Everything)
		case s.Has(one):
			return 0, fmt.Errorf("names %s twice", one)
		}
		s |= ScopesOf(one)
	}
	return s, nil
}

// MaxKeyAge is the maximum time from a key's creation to its expiry. A key that is needed for
// longer should not expire at all.
const MaxKeyAge = 5 * 366 * 24 * time.Hour

// CheckExpiry returns an error if a key cannot have this expiry time.
func CheckExpiry(at, now time.Time) error {
	switch {
	case !at.After(now):
		return fmt.Errorf("must be in the future; the time is now %s", now.UTC().Format(time.RFC3339))
	case at.Sub(now) > MaxKeyAge:
		return errors.New("must be within five years; omit it for a key that never expires")
	}
	return nil
}
