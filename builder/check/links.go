package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"kindex/builder/collect"
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
	Day      string `json:"day"`
	Links    int    `json:"links"` // different addresses
	Alive    int    `json:"alive"`
	Requests int    `json:"requests"`
	// Unchecked is the number of links for which the maximum number of requests was not enough.
	Unchecked int       `json:"unchecked"`
	Dead      []BadLink `json:"dead"`    // by address
	Unclear   []BadLink `json:"unclear"` // by address; these may work for readers, or later
}

// BadLink is a link that does not lead to a page.
type BadLink struct {
	Link
	Status int    `json:"status,omitempty"` // of the last response, if there was one
	Reason string `json:"reason"`
}

// LinkOptions configures Links.
type LinkOptions struct {
	HTTP  *http.Client // from safedial, which decides which addresses are allowed
	Clock collect.Clock
	Agent string // the User-Agent of requests
	// PerSecond is the maximum number of requests per second to one host. Links to one host are
	// followed one after the other. Hosts is the number of hosts that are asked at the same time.
	PerSecond   float64
	Hosts       int
	MaxRequests int           // 0 means no limit
	MaxWait     time.Duration // how long each host may make the run wait for its limits
	// Progress, if not nil, is called after each link, concurrently.
	Progress func(done, total int)
}

// checker follows links. It is safe for concurrent use.
type checker struct {
	LinkOptions

	mu     sync.Mutex
	hosts  map[string]*host
	report *LinksReport
	done   int
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
	switch {
	case r.verdict == alive:
		c.report.Alive++
	case r.verdict == unchecked:
		c.report.Unchecked++
	case r.verdict == dead:
		c.report.Dead = append(c.report.Dead, BadLink{l, r.status, r.reason})
	default:
		c.report.Unclear = append(c.report.Unclear, BadLink{l, r.status, r.reason})
	}
	c.done++
	if c.Progress != nil {
		c.Progress(c.done, c.report.Links)
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

// admit waits until a host may be sent a request, and counts the request.
func (c *checker) admit(ctx context.Context, name string) error {
	c.mu.Lock()
	h := c.host(name)
	if h.closed != nil {
		c.mu.Unlock()
		return h.closed
	}
	if c.MaxRequests > 0 && c.report.Requests >= c.MaxRequests {
		c.mu.Unlock()
		return errBudget
	}
	c.report.Requests++
	now := c.Clock.Now()
	d := h.limit.ReserveN(now, 1).DelayFrom(now)
	c.mu.Unlock()
	if d > 0 {
		return c.Clock.Sleep(ctx, d)
	}
	return ctx.Err()
}

// pause waits because a host said so. It returns false if that would take too long, and then the
// host is not asked any more.
func (c *checker) pause(ctx context.Context, name string, d time.Duration) (bool, error) {
	c.mu.Lock()
	h := c.host(name)
	if h.waited+d > c.MaxWait {
		h.closed = fmt.Errorf("%w until %s", errClosed, c.Clock.Now().Add(d).UTC().Format("2006-01-02 15:04 UTC"))
		c.mu.Unlock()
		return false, nil
	}
	h.waited += d
	c.mu.Unlock()
	return true, c.Clock.Sleep(ctx, d)
}
