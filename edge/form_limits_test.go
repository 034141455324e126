package edge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/ratelimit"
	"kindex/site/pages"
)

// sendForm has a form checked, straight by the handler, from an address.
func (s *served) sendForm(from, body string) (status int, says string) {
	r := httptest.NewRequest(http.MethodPost, s.url+pages.CheckPath, strings.NewReader(body))
	r.RemoteAddr = from
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestAttackFormByBytes: whoever sends the largest forms may send fewer of them.
func TestAttackFormByBytes(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	clock := newClock("2026-11-01T10:00:00Z")
	s := serveForm(t, Options{Now: clock.now}, false)
	large := "tags=" + strings.Repeat("A,", (maxFormSize-10)/2)
	checked := 0
	for range maxChecks {
		if status, _ := s.sendForm("198.51.100.1:1", large); status == http.StatusOK {
			checked++
		}
	}
	if want := maxChecks / (1 + len(large)/checkedBytes); checked != want {
		t.Errorf("%d forms of %d bytes were checked, want %d", checked, len(large), want)
	}
}

// TestAttackFormOfNetwork: the addresses of one network share a limit, and others do
// not suffer.
func TestAttackFormOfNetwork(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t)
	clock := newClock("2026-11-01T10:00:00Z")
	s := serveForm(t, Options{Now: clock.now}, false)
	checked := 0
	for i := range maxNetworkChecks + 100 {
		if status, _ := s.sendForm(fmt.Sprintf("[2001:db8:1:%x::1]:1", i/100), "name=x"); status == http.StatusOK {
			checked++
		}
	}
	if checked != maxNetworkChecks {
		t.Errorf("%d forms of one network were checked, want %d", checked, maxNetworkChecks)
	}
	for _, from := range []string{"[2001:db8:2::1]:1", "198.51.100.1:1"} {
		if status, says := s.sendForm(from, "name=x"); status != http.StatusOK {
			t.Errorf("%s: %d %s", from, status, says)
		}
	}
}

// TestFormValuesAreCounted: a form of thousands of values is none of this page.
func TestFormValuesAreCounted(t *testing.T) {
	suite.WithoutRace(t)
	s := serveForm(t, Options{}, false)
	many := url.Values{}
	for i := range maxFormValues {
		many.Add("tags", fmt.Sprint("t", i))
	}
	if status, says := s.sendForm("198.51.100.1:1", many.Encode()); status != http.StatusOK || !strings.Contains(says, "at most 50") {
		t.Errorf("%d %s", status, says)
	}
	many.Add("name", "x")
	if status, says := s.sendForm("198.51.100.1:1", many.Encode()); status != http.StatusRequestEntityTooLarge || !strings.Contains(says, "more fields") {
		t.Errorf("%d %s", status, says)
	}
}

// TestTurns: of one network one has its turn at a time, some wait, and the rest are
// sent away; other networks do not wait. Nothing is kept of those who have gone.
func TestTurns(t *testing.T) {
	var all turns
	one, other := ratelimit.Network(netip.MustParseAddr("198.51.100.1")), ratelimit.Network(netip.MustParseAddr("2001:db8::1"))
	done, err := all.wait(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	errs := make(chan error, 2*maxFormWaiting)
	for range 2 * maxFormWaiting {
		group.Go(func() {
			_, err := all.wait(ctx, one)
			errs <- err
		})
	}
	for range maxFormWaiting {
		if err := <-errs; !errors.Is(err, errCrowded) {
			t.Errorf("%v", err)
		}
	}
	elsewhere, err := all.wait(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere()
	cancel()
	group.Wait()
	for range maxFormWaiting {
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	done()
	if len(all.networks) != 0 {
		t.Errorf("%d networks are kept", len(all.networks))
	}
	if done, err = all.wait(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	done()
}
