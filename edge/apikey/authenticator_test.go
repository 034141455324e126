package apikey_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kindex/builder/suite"
	"kindex/edge/apikey"
)

// stored is a key with its account.
type stored struct {
	key     apikey.Key
	account apikey.Account
}

// store holds keys in memory and counts lookups.
type store struct {
	mu      sync.Mutex
	keys    map[string]stored // by hash
	asked   int
	slow    time.Duration // how long a lookup takes to return
	err     error
	touched map[string]time.Time
	touches int
}

func newStore() *store {
	return &store{keys: map[string]stored{}, touched: map[string]time.Time{}}
}

func (s *store) KeyByHash(ctx context.Context, hash string) (apikey.Key, apikey.Account, error) {
	s.mu.Lock()
	s.asked++
	found, ok := s.keys[hash]
	err, slow := s.err, s.slow
	s.mu.Unlock()
	if err == nil && !ok {
		err = apikey.ErrUnknown
	}
	select {
	case <-time.After(slow):
		return found.key, found.account, err
	case <-ctx.Done():
		return apikey.Key{}, apikey.Account{}, ctx.Err()
	}
}

func (s *store) TouchKeys(_ context.Context, used map[string]time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touches++
	if s.err != nil {
		return s.err
	}
	for id, t := range used {
		s.touched[id] = t
	}
	return nil
}

func (s *store) add(id string) apikey.Secret {
	secret := apikey.Generate()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[secret.Hash()] = stored{apikey.Key{ID: id, AccountID: "acc_" + id, Masked: secret.Masked()},
		apikey.Account{ID: "acc_" + id, Name: "account " + id}}
	return secret
}

func (s *store) change(secret apikey.Secret, change func(*stored)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.keys[secret.Hash()]
	change(&c)
	s.keys[secret.Hash()] = c
}

func TestIdentify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		a := apikey.NewAuthenticator(s, time.Now)
		good, revoked, suspended := s.add("good"), s.add("revoked"), s.add("suspended")
		s.change(revoked, func(c *stored) { c.key.RevokedAt = time.Now() })
		s.change(suspended, func(c *stored) { c.account.SuspendedAt = time.Now() })
		for range 3 {
			key, account, err := a.Identify(t.Context(), good.Reveal())
			suite.Require(t, err == nil && key.ID == "good" && account.ID == "acc_good", key, account, err)
			if key, account, err := a.Identify(t.Context(), revoked.Reveal()); !errors.Is(err, apikey.ErrRevoked) || key.ID+account.ID != "" {
				t.Errorf("revoked key: %+v %+v %v", key, account, err)
			}
			if key, account, err := a.Identify(t.Context(), apikey.Generate().Reveal()); !errors.Is(err, apikey.ErrUnknown) || key.ID+account.ID != "" {
				t.Errorf("unknown key: %+v %+v %v", key, account, err)
			}
			_, account, err = a.Identify(t.Context(), suspended.Reveal())
			var s *apikey.SuspendedError
			suite.Holds(t, errors.As(err, &s) && s.Account == "account suspended" &&
				account.ID == "acc_suspended", "suspended account", account, err)
		}
		asked := s.asked
		if _, _, err := a.Identify(t.Context(), "kx_nonsense"); !errors.Is(err, apikey.ErrMalformed) || s.asked != asked {
			t.Errorf("malformed key: %v after %d lookups", err, s.asked-asked)
		}
		// One lookup for the revoked key, and three each for the valid and the suspended key and for
		// unknown keys.
		suite.Equal(t, asked, 1+3*3, "lookups in the store")
	})
}

// TestRevokedKeyStops checks that a request that arrives after a revocation is refused, however slow
// the store is.
func TestRevokedKeyStops(t *testing.T) {
	for _, slow := range []time.Duration{0, 100 * time.Millisecond, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := newStore()
			s.slow = slow
			a := apikey.NewAuthenticator(s, time.Now)
			secret := s.add("k")
			identify := func() error { _, _, err := a.Identify(t.Context(), secret.Reveal()); return err }
			suite.Check(t, identify())
			go func() { _ = identify() }()
			synctest.Wait() // a lookup may be in progress
			s.change(secret, func(c *stored) { c.key.RevokedAt = time.Now() })
			for range 3 {
				suite.Is(t, identify(), apikey.ErrRevoked, "slow", slow)
			}
		})
	}
}

// TestStoreOutOfReach checks that a store error is not mistaken for a result and is not
// cached.
func TestStoreOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		a := apikey.NewAuthenticator(s, time.Now)
		secret := s.add("k")
		down := errors.New("no connection")
		s.err = down
		if _, _, err := a.Identify(t.Context(), secret.Reveal()); !errors.Is(err, down) {
			t.Errorf("%v", err)
		}
		s.err = nil
		if _, _, err := a.Identify(t.Context(), secret.Reveal()); err != nil {
			t.Errorf("the failure was cached: %v", err)
		}
		// If the store hangs, a lookup times out. A caller that disconnects stops waiting
		// without affecting the other callers.
		s.slow = time.Hour
		leaving, leave := context.WithCancel(t.Context())
		results := make(chan error, 2)
		go func() { _, _, err := a.Identify(leaving, secret.Reveal()); results <- err }()
		synctest.Wait()
		go func() { _, _, err := a.Identify(t.Context(), secret.Reveal()); results <- err }()
		synctest.Wait()
		leave()
		suite.Is(t, <-results, context.Canceled, "canceled caller")
		begun := time.Now()
		if err := <-results; !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 5*time.Second {
			t.Errorf("other caller: %v after %v", err, time.Since(begun))
		}
	})
}

// TestInventedKeysHoldNoMemory floods the authenticator with well-formed but invented keys:
// what it remembers stays bounded.
func TestInventedKeysHoldNoMemory(t *testing.T) {
	suite.InTest(t)
	s := newStore()
	a := apikey.NewAuthenticator(s, time.Now)
	const flood = 40_000
	for range flood {
		if _, _, err := a.Identify(t.Context(), apikey.Generate().Reveal()); !errors.Is(err, apikey.ErrUnknown) {
			t.Fatal(err)
		}
	}
	n := apikey.Remembered(a)
	suite.Holds(t, n <= 8192 && n != 0, n, "refusals are remembered")
	suite.Equal(t, s.asked, flood, "keys caused", "lookups")
}

func TestLastUsedIsStoredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		a := apikey.NewAuthenticator(s, time.Now)
		one, two, bad := s.add("one"), s.add("two"), s.add("bad")
		s.change(bad, func(c *stored) { c.key.RevokedAt = time.Now() })
		var last time.Time
		for range 1000 {
			time.Sleep(time.Millisecond)
			last = time.Now()
			for _, k := range []apikey.Secret{one, bad} {
				_, _, _ = a.Identify(t.Context(), k.Reveal())
			}
		}
		suite.Equal(t, s.touches, 0, "writes for 1000 requests in a second")
		if got := a.LastUsed(apikey.Key{ID: "one"}); !got.Equal(last) {
			t.Errorf("this edge reports %v, want %v", got, last)
		}
		for range 2 {
			suite.Check(t, a.Flush(t.Context()))
		}
		if got := s.touched["one"]; !got.Equal(last) || s.touches != 1 || len(s.touched) != 1 {
			t.Errorf("stored: %v after %d writes", s.touched, s.touches)
		}
		if stored := last.Add(time.Hour); !a.LastUsed(apikey.Key{ID: "one", LastUsedAt: stored}).Equal(stored) {
			t.Error("a later use stored by another edge was overwritten")
		}
		// A failed write is retried later and does not replace a newer use.
		s.err = errors.New("disk full")
		apikey.Use(a, "two", last)
		apikey.Use(a, "one", last.Add(time.Second))
		failure := a.Flush(t.Context())
		apikey.Use(a, "two", last.Add(2*time.Second))
		s.err = nil
		if err := a.Flush(t.Context()); err != nil || failure == nil || !s.touched["two"].Equal(last.Add(2*time.Second)) || !s.touched["one"].Equal(last.Add(time.Second)) {
			t.Errorf("after a failure (%v): %v", failure, s.touched)
		}
		_ = two
	})
}

func TestPresented(t *testing.T) {
	key := apikey.Generate().Reveal()
	for _, c := range []struct {
		header    http.Header
		key       string
		anonymous bool
		err       string
	}{
		{http.Header{}, "", true, ""},
		{http.Header{"X-Api-Key": {key}}, key, false, ""},
		{http.Header{"X-Api-Key": {""}}, "", false, ""}, // Parse rejects an empty key
		{http.Header{"X-Api-Key": {key, key}}, "", false, "more than once"},
		{http.Header{"Authorization": {"Bearer " + key}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {"bearer x"}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {"Bearer"}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {"Token  " + key}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {key}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {"Basic dTpw"}}, "", true, ""}, // a proxy's own credentials
		{http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"))}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {"basic  " + base64.StdEncoding.EncodeToString([]byte("api:"+key))}}, "", false, "x-api-key"},
		{http.Header{"Authorization": {"Basic !"}}, "", true, ""},
		{http.Header{"Authorization": {"Bearer " + key}, "X-Api-Key": {key}}, key, false, ""},
	} {
		got, anonymous, err := apikey.FromHeader(c.header)
		if got != c.key || anonymous != c.anonymous || (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), key)) {
			t.Errorf("%v: %q %v %v", c.header, got, anonymous, err)
		}
	}
}
