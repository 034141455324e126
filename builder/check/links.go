package check

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"kindex/builder/collect"
	"kindex/builder/safedial"
	"kindex/exports/record"
)

// Link is an address in the content, with the places that have it.
type Link struct {
	Address string  `json:"address"`
	Places  []Place `json:"places"`
}

// Place is a field of an entity.
type Place struct {
	Entity string `json:"entity"`
	Field  string `json:"field"` // such as links.paper
}

// LinksOf returns the addresses that entities offer to readers: url, links and the source of
// lifecycle, sorted by address. An address that occurs several times is listed once. Withdrawn
// entities are left out: that their pages are gone is no news.
func LinksOf(entities []*record.Entity) []Link {
	places := map[string][]Place{}
	add := func(e *record.Entity, field, address string) {
		address, _, _ = strings.Cut(address, "#")
		if address != "" {
			places[address] = append(places[address], Place{e.Key(), field})
		}
	}
	for _, e := range entities {
		if e.Status == record.Withdrawn {
			continue
		}
		add(e, "url", e.URL)
		for _, l := range e.Links {
			add(e, "links."+l.Name, l.URL)
		}
		if e.Lifecycle != nil {
			add(e, "lifecycle.source", e.Lifecycle.Source)
		}
	}
	list := make([]Link, 0, len(places))
	for _, address := range slices.Sorted(maps.Keys(places)) {
		list = append(list, Link{address, places[address]})
	}
	return list
}

// LinksReport is the result of following links.
type LinksReport struct {
	Day       string    `json:"day"`
	Links     int       `json:"links"` // different addresses
	Alive     int       `json:"alive"`
	Requests  int       `json:"requests"`
	Unchecked int       `json:"unchecked"` // links for which the maximum number of requests was not enough
	Dead      []BadLink `json:"dead"`      // by address
	Unclear   []BadLink `json:"unclear"`   // by address; these may work for readers, or later
}

// BadLink is a link that does not lead to a page.
type BadLink struct {
	Link
	Status int    `json:"status,omitempty"` // of the last response, if there was one
	Reason string `json:"reason"`
}

// LinkOptions configures Links. Links to one host are followed one after the other.
type LinkOptions struct {
	HTTP        *http.Client // from safedial, which decides which addresses are allowed
	Clock       collect.Clock
	Agent       string                // the User-Agent of requests
	PerSecond   float64               // the maximum number of requests per second to one host
	Hosts       int                   // how many are asked at the same time
	MaxRequests int                   // 0 means no limit
	MaxWait     time.Duration         // how long each host may make the run wait for its limits
	Progress    func(done, total int) // if not nil, called after each link, concurrently
}

// checker follows links. It is safe for concurrent use.
type checker struct {
	LinkOptions

	mu     sync.Mutex
	hosts  map[string]*host
	report *LinksReport
}

type host struct {
	limit  *rate.Limiter
	waited time.Duration // for Retry-After
	closed error         // the reason it is not asked any more, or nil
}

// Links follows links and reports those that are dead. A link is dead if its page is gone, its
// host does not exist or has no valid certificate, or it redirects in a loop. What may be
// temporary, or may affect only programs, is unclear: timeouts, limits, status 403 or 500. The
// error is that of ctx.
func Links(ctx context.Context, links []Link, o LinkOptions) (*LinksReport, error) {
	c := &checker{LinkOptions: o, hosts: map[string]*host{}, report: &LinksReport{Day: o.Clock.Now().UTC().Format(time.DateOnly), Links: len(links),
		Dead: []BadLink{}, Unclear: []BadLink{}}}
	byHost := map[string][]Link{}
	for _, l := range links {
		byHost[hostOf(l.Address)] = append(byHost[hostOf(l.Address)], l)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Hosts, 1))
	// The host with the most links takes longest, so it starts first.
	names := slices.SortedFunc(maps.Keys(byHost), func(a, b string) int {
		return cmp.Or(-cmp.Compare(len(byHost[a]), len(byHost[b])), cmp.Compare(a, b))
	})
	for _, name := range names {
		g.Go(func() error {
			for _, l := range byHost[name] {
				r, err := c.check(ctx, l.Address)
				if err != nil {
					return err
				}
				c.record(l, r)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, list := range [][]BadLink{c.report.Dead, c.report.Unclear} {
		slices.SortFunc(list, func(a, b BadLink) int { return cmp.Compare(a.Address, b.Address) })
	}
	return c.report, nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

func (c *checker) record(l Link, r result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch bad := (BadLink{l, r.status, r.reason}); {
	case r.reason == "":
		c.report.Alive++
	case r.unchecked:
		c.report.Unchecked++
	case r.dead:
		c.report.Dead = append(c.report.Dead, bad)
	default:
		c.report.Unclear = append(c.report.Unclear, bad)
	}
	if c.Progress != nil {
		c.Progress(c.report.Alive+c.report.Unchecked+len(c.report.Dead)+len(c.report.Unclear), c.report.Links)
	}
}

// host returns what is known of a host. The caller holds c.mu.
func (c *checker) host(name string) *host {
	h := c.hosts[name]
	if h == nil {
		h = &host{limit: rate.NewLimiter(rate.Limit(c.PerSecond), 1)}
		c.hosts[name] = h
	}
	return h
}

var errBudget = errors.New("the maximum number of requests has been reached")

var errClosed = errors.New("the host asks to wait")

// admit counts a request, and returns after how long the host may be sent it.
func (c *checker) admit(name string) (wait time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	switch {
	case h.closed != nil:
		return 0, h.closed
	case c.MaxRequests > 0 && c.report.Requests >= c.MaxRequests:
		return 0, errBudget
	}
	c.report.Requests++
	now := c.Clock.Now()
	return h.limit.ReserveN(now, 1).DelayFrom(now), nil
}

// mayWait reports whether a host may make the run wait because it said so. If that would take too long, the host is
// not asked any more.
func (c *checker) mayWait(name string, d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host(name)
	if h.waited+d > c.MaxWait {
		h.closed = fmt.Errorf("%w until %s", errClosed, c.Clock.Now().Add(d).UTC().Format("2006-01-02 15:04 UTC"))
		return false
	}
	h.waited += d
	return true
}

const (
	maxRedirects = 10
	maxTries     = 3        // of one request that a host limits
	maxBody      = 64 << 10 // bytes of a page that are read; the rest is not needed
	limitWait    = time.Minute
	maxLimitWait = 24 * time.Hour
)

// result is what became of a link. Without a reason, it is alive.
type result struct {
	status    int // of the response, if there was one
	reason    string
	dead      bool
	unchecked bool
	final     bool // GET would have the same result as HEAD
}

// check follows a link with HEAD and, because many servers answer that wrongly, with GET. The error is that of ctx.
func (c *checker) check(ctx context.Context, address string) (result, error) {
	r, err := c.follow(ctx, http.MethodHead, address)
	if err != nil || r.final || r.reason == "" {
		return r, err
	}
	return c.follow(ctx, http.MethodGet, address)
}

// follow follows redirects. Some sites redirect to set a cookie, so cookies are kept until the last one.
func (c *checker) follow(ctx context.Context, method, address string) (result, error) {
	client := *c.HTTP
	client.Jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
	for range maxRedirects + 1 {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return result{dead: true, reason: "leads to an address that is neither https nor http", final: true}, nil //nolint:nilerr // the address is the finding
		}
		u.User = nil
		status, location, err := c.send(ctx, &client, method, u)
		if err == nil && (status < 300 || status > 399 || location == "") {
			return judgeStatus(status), nil
		}
		var next *url.URL
		if err == nil {
			next, err = u.Parse(location)
		}
		if err != nil {
			return judgeError(ctx, err)
		}
		address = next.String()
	}
	return result{dead: true, reason: fmt.Sprintf("redirects more than %d times", maxRedirects), final: true}, nil
}

// send sends a request, again if the host says that a limit has been reached.
func (c *checker) send(ctx context.Context, client *http.Client, method string, u *url.URL) (status int, location string, err error) {
	host := strings.ToLower(u.Host)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("User-Agent", c.Agent)
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	for try := 1; ; try++ {
		wait, err := c.admit(host)
		if err == nil {
			err = c.Clock.Sleep(ctx, wait)
		}
		if err != nil {
			return 0, "", err
		}
		resp, err := client.Do(req.Clone(ctx)) // the client adds cookies to it
		if err != nil {
			return 0, "", err
		}
		_, _ = io.CopyN(io.Discard, resp.Body, maxBody) // a page that ends early is there all the same
		_ = resp.Body.Close()
		limited := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != ""
		wait, ok := safedial.RetryAfter(resp.Header, c.Clock.Now(), maxLimitWait)
		if !ok {
			wait = limitWait
		}
		if !limited || try == maxTries || !c.mayWait(host, wait) {
			return resp.StatusCode, resp.Header.Get("Location"), nil
		}
		if err := c.Clock.Sleep(ctx, wait); err != nil {
			return 0, "", err
		}
	}
}

func judgeStatus(status int) result {
	if status < 400 {
		return result{}
	}
	return result{status: status, reason: strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status))),
		dead: status == http.StatusNotFound || status == http.StatusGone, final: status == http.StatusTooManyRequests}
}

// judgeError judges a request without a response. The error is that of ctx.
func judgeError(ctx context.Context, err error) (result, error) {
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	if wrapped := new(url.Error); errors.As(err, &wrapped) {
		err = wrapped.Err // without the address
	}
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	r := result{reason: err.Error()}
	switch {
	case errors.Is(err, errBudget):
		r.unchecked, r.final = true, true
	case errors.Is(err, errClosed), errors.Is(err, safedial.ErrRefused):
		r.final = true
	case errors.As(err, &name) && name.IsNotFound:
		r.dead, r.reason, r.final = true, "the host does not exist", true
	case errors.As(err, &certificate):
		r.dead, r.reason, r.final = true, "the certificate is not valid: "+certificate.Err.Error(), true
	}
	return r, nil
}
