package edge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/console"
	"kindex/edge/ratelimit"
	"kindex/site/siteurl"
)

// sendForm sends a form to be checked directly to the handler, from the given address.
func (s *served) sendForm(from, body string) (status int, says string) {
	r := httptest.NewRequest(http.MethodPost, s.url+siteurl.CheckSubmission, strings.NewReader(body))
	r.RemoteAddr = from
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestAttackFormByBytes: clients that send the largest forms can send fewer of them.
func TestAttackFormByBytes(t *testing.T) {
	suite.InTest(t)
	clock := newClock("2026-11-01T10:00:00Z")
	s := serveForm(t, Options{Now: clock.now}, false)
	large := "tags=" + strings.Repeat("A,", (console.MaxFormSize-10)/2)
	checked := 0
	for range int(ratelimit.FormCheck.Address) {
		if status, _ := s.sendForm("198.51.100.1:1", large); status == http.StatusOK {
			checked++
		}
	}
	if want := int(ratelimit.FormCheck.Address) / (1 + len(large)/console.BytesPerCheck); checked != want {
		t.Errorf("%d forms of %d bytes were checked, want %d", checked, len(large), want)
	}
}

// TestAttackFormOfNetwork: the addresses in a network share a limit; addresses in other networks
// are not affected.
func TestAttackFormOfNetwork(t *testing.T) {
	suite.InTest(t)
	clock := newClock("2026-11-01T10:00:00Z")
	s := serveForm(t, Options{Now: clock.now}, false)
	checked := 0
	for i := range int(ratelimit.FormCheck.Network) + 100 {
		if status, _ := s.sendForm(fmt.Sprintf("[2001:db8:1:%x::1]:1", i/100), "name=x"); status == http.StatusOK {
			checked++
		}
	}
	if checked != int(ratelimit.FormCheck.Network) {
		t.Errorf("%d forms of one network were checked, want %d", checked, int(ratelimit.FormCheck.Network))
	}
	for _, from := range []string{"[2001:db8:2::1]:1", "198.51.100.1:1"} {
		if status, says := s.sendForm(from, "name=x"); status != http.StatusOK {
			t.Errorf("%s: %d %s", from, status, says)
		}
	}
}

// TestFormValuesAreCounted: a form with thousands of values cannot come from this page and is
// refused.
func TestFormValuesAreCounted(t *testing.T) {
	s := serveForm(t, Options{}, false)
	many := url.Values{}
	for i := range console.MaxFormValues {
		many.Add("tags", fmt.Sprint("t", i))
	}
	if status, says := s.sendForm("198.51.100.1:1", many.Encode()); status != http.StatusOK || !strings.Contains(says, "at most 50") {
		t.Errorf("%d %s", status, says)
	}
	many.Add("name", "x")
	if status, says := s.sendForm("198.51.100.1:1", many.Encode()); status != http.StatusRequestEntityTooLarge || !strings.Contains(says, "too many fields") {
		t.Errorf("%d %s", status, says)
	}
}
