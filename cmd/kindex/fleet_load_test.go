package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/exports/store"
)

// TestFleet runs three edges behind the shipped proxy, with one database and one bucket. Builds
// are published and edges are restarted, one after the other, while requests are sent through the
// proxy. No request may fail, each response must be of one build, and everything that is in the
// database must be exact, wherever a request goes. Clients do not retry. Then edges are killed; see
// killEdges. A session that starts at one edge is valid at all of them, and ends at all of them.
func TestFleet(t *testing.T) {
	suite.InTest(t)
	if !suite.Soaking() {
		t.Parallel() // the S3 server's credentials are variables of this process
	}
	f := newFleet(t, 30, storagetest.PostgreSQL(t))
	first := f.publish()
	for range 3 {
		f.add()
	}
	l := &fleetLoad{f: f, total: int64(suite.Pick(300, 20000)), limit: suite.Pick(50, 2000), submissions: 18, pairs: map[[2]string]int{}, statuses: map[int]int{}}
	l.prepare()
	start, builds := time.Now(), suite.Pick(2, 10)
	var wg, restarts sync.WaitGroup
	for i := range 6 {
		wg.Go(func() { l.read(i) })
	}
	wg.Go(l.count)
	wg.Go(l.submit)
	stop := make(chan struct{})
	restarted := 0
	restarts.Go(func() {
		for i := 0; ; i++ {
			began := time.Now()
			f.edges[i%3].restart()
			restarted++
			select {
			case <-stop:
				return
			case <-time.After(time.Second - time.Since(began)):
			}
		}
	})
	last := first
	for i := range builds {
		await(t, "requests before the next build", func() bool { return l.sent.Load() >= l.total*int64(i)/int64(builds+1) })
		last = f.publish()
	}
	for _, e := range f.edges {
		e.await(last)
	}
	l.finished.Store(true)
	wg.Wait()
	close(stop)
	restarts.Wait()
	t.Logf("%d requests, %d builds and %d restarts in %v; %v", l.sent.Load(), builds, restarted, time.Since(start).Round(time.Second), l.statuses)
	l.check(last)
	l.checkShared()
	session := f.signIn()
	f.checkSession(session, true)
	l.killEdges()
	l.checkEvents()
	f.signOut(session, f.checkSession(session, true))
	f.checkSession(session, false)
	f.checkNewEdge()
}

// submissionPause is the pause between submissions, some of which shall meet a restart or a kill.
const submissionPause = 200 * time.Millisecond

// fleetLoad sends requests to a fleet.
type fleetLoad struct {
	f           *fleet
	total       int64 // requests, at least
	limit       int   // of the account whose requests are counted
	submissions int
	pause       time.Duration // between submissions
	sent        atomic.Int64
	finished    atomic.Bool // no more builds are published
	killing     bool        // edges are killed
	cut, again  atomic.Int64

	counted, keyed, author, hooked, repeated string // keys

	mu       sync.Mutex
	pairs    map[[2]string]int // responses by build and by what they say about the generation
	statuses map[int]int       // of counted requests
	ids      []string          // of submissions
}

func (l *fleetLoad) prepare() {
	f := l.f
	f.t.Helper()
	st := suite.Must(storage.Open(f.t.Context(), f.database, storage.Options{MustExist: true}))(f.t)
	for account, key := range map[string]*string{"counted": &l.counted, "keyed": &l.keyed, "author": &l.author, "hooked": &l.hooked, "repeated": &l.repeated} {
		*key = makeKey(f.t, st, account)
	}
	suite.Check(f.t, st.Close())
	succeed(f.t, "accounts", "limit", "counted", fmt.Sprint(l.limit), "--state", f.database)
	if status, body := f.ask(f.proxy, http.MethodPost, "/api/webhooks", l.hooked, `{"url":"`+f.hook.url+`","events":["entity.updated"]}`); status != http.StatusCreated {
		f.t.Fatalf("the webhook: %d %s", status, body)
	}
}

// ask sends one request. After a failure, the status is 0.
func (f *fleet) ask(base, method, path, key, body string) (status int, answer []byte) {
	return f.send(base, method, path, key, body, http.Header{})
}

// send is like ask, with more header fields.
func (f *fleet) send(base, method, path, key, body string, header http.Header) (status int, answer []byte) {
	req, err := http.NewRequest(method, base+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header = header
	if key != "" {
		header.Set("x-api-key", key)
	}
	if body != "" && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	res, err := f.client.Do(req)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return res.StatusCode, text
}

var (
	generationText = regexp.MustCompile(`as of generation (\d+)`)
	buildText      = regexp.MustCompile(`"build": ?"([^"]+)"`)
)

// read sends requests for what every build has, until there were enough and the last build is
// served everywhere.
func (l *fleetLoad) read(worker int) {
	paths := []string{"/api/entity/tool/tool-%d", "/api/search?q=tool+number+%d&limit=20", "/api/entities?limit=30&offset=%d", "/tool/tool-%d/", "/api/export/entities?format=json", "/api/entity/tool/tool-%d/changelog"}
	for i := worker; !l.f.t.Failed() && (l.sent.Add(1) <= l.total || !l.finished.Load()); i++ {
		if l.sent.Load() > l.total {
			time.Sleep(suite.Pick(200*time.Millisecond, 20*time.Millisecond)) // leave the processors to the builder
		}
		path := paths[i%len(paths)]
		if strings.Contains(path, "%d") {
			path = fmt.Sprintf(path, i%7)
		}
		status, body := l.f.ask(l.f.proxy, http.MethodGet, path, "", "")
		if l.isCut(status, body) {
			l.cut.Add(1)
			continue
		}
		if status != http.StatusOK {
			l.f.t.Errorf("GET %s: %d %.300s", path, status, body)
			return
		}
		if strings.HasSuffix(path, "/changelog") {
			continue // it has all generations
		}
		build := ""
		if m := buildText.FindSubmatch(body); m != nil {
			build = string(m[1])
		}
		said := map[string]bool{}
		for _, m := range generationText.FindAllSubmatch(body, -1) {
			said[string(m[1])] = true
		}
		if len(said) != 1 {
			l.f.t.Errorf("GET %s is of %d builds: %v %.300s", path, len(said), said, body)
		}
		l.mu.Lock()
		for g := range said {
			l.pairs[[2]string{build, g}]++
		}
		l.mu.Unlock()
	}
}

// count sends more requests than an account may send.
func (l *fleetLoad) count() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range l.limit * 6 / 10 {
				status, body := l.f.ask(l.f.proxy, http.MethodGet, "/api/categories", l.counted, "")
				l.mu.Lock()
				l.statuses[status]++
				l.mu.Unlock()
				if status != http.StatusOK && status != http.StatusTooManyRequests {
					l.f.t.Errorf("a counted request: %d %s", status, body)
					return
				}
			}
		})
	}
	wg.Wait()
}

// submit sends requests that must not be repeated.
func (l *fleetLoad) submit() {
	for i := range l.submissions {
		status, body := l.f.ask(l.f.proxy, http.MethodPost, "/api/submit", l.author,
			fmt.Sprintf(`{"type":"tool","name":"Proposal %d","category":"kind-1","url":"https://example.org/%[1]d","description":"A proposal that is sent while edges are restarted."}`, i))
		var s struct{ ID string }
		if err := json.Unmarshal(body, &s); status != http.StatusCreated || err != nil {
			l.f.t.Errorf("a submission: %d %v %s", status, err, body)
			return
		}
		l.mu.Lock()
		l.ids = append(l.ids, s.ID)
		l.mu.Unlock()
		time.Sleep(submissionPause)
	}
}

// check checks what the responses said, and how many were counted.
func (l *fleetLoad) check(last string) {
	t := l.f.t
	t.Helper()
	l.checkPairs(last)
	if l.statuses[http.StatusOK] != l.limit || l.statuses[http.StatusTooManyRequests] != l.limit*6/10*2-l.limit {
		t.Errorf("an account with %d requests: %v", l.limit, l.statuses)
	}
}

// checkPairs checks that every response was of one build, and some of the last one.
func (l *fleetLoad) checkPairs(last string) {
	t := l.f.t
	t.Helper()
	served := map[string]bool{}
	for pair, n := range l.pairs {
		build := pair[0]
		if build != "" && fmt.Sprint(l.f.builds[build]) != pair[1] {
			t.Errorf("%d responses of build %s have generation %s, want %d", n, build, pair[1], l.f.builds[build])
		}
		if build != "" {
			served[build] = true
		}
	}
	if !served[last] || len(served) < 2 {
		t.Errorf("responses are of %d builds: %v", len(served), l.pairs)
	}
}

// checkShared checks that each edge knows what happened on the others.
func (l *fleetLoad) checkShared() {
	f := l.f
	f.t.Helper()
	slices.Sort(l.ids)
	for i, e := range f.edges {
		base := e.at(f.port)
		if ids := f.submissions(e, l.author); !slices.Equal(ids, l.ids) {
			f.t.Errorf("%s has the submissions %v, want %v", e.host, ids, l.ids)
		}
		if status, _ := f.ask(base, http.MethodGet, "/api/categories", l.counted, ""); status != http.StatusTooManyRequests {
			f.t.Errorf("%s: status %d after the limit", e.host, status)
		}
		status, body := f.ask(base, http.MethodPost, "/api/developer/api-keys", l.keyed, fmt.Sprintf(`{"name":"from edge %d"}`, i))
		var made struct{ ID, Key string }
		if err := json.Unmarshal(body, &made); status != http.StatusCreated || err != nil {
			f.t.Fatalf("%d %v %s", status, err, body)
		}
		next := f.edges[(i+1)%len(f.edges)]
		if status, body := f.ask(next.at(f.port), http.MethodGet, "/api/categories", made.Key, ""); status != http.StatusOK {
			f.t.Errorf("%s does not accept a key made by %s: %d %s", next.host, e.host, status, body)
		}
	}
	l.checkEvents()
}

// submissions returns the sorted IDs of an account's submissions, as an edge knows them.
func (f *fleet) submissions(e *fleetEdge, key string) (ids []string) {
	f.t.Helper()
	_, body := f.ask(e.at(f.port), http.MethodGet, "/api/submissions?limit=100", key, "")
	var list struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(body, &list); err != nil {
		f.t.Errorf("%v %s", err, body)
	}
	for _, s := range list.Data {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}

// checkEvents waits for the events of all builds, and checks them.
func (l *fleetLoad) checkEvents() {
	f := l.f
	f.t.Helper()
	await(f.t, "an event for the last version of each tool", func() bool { return len(f.hook.at(fmt.Sprint(f.generation))) == f.entityN })
	f.hook.check(f.t) // each change once, and in order
	f.t.Logf("the webhook received %d deliveries", f.hook.count())
}

// at returns the entities that an event gave the version.
func (h *hearing) at(version string) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := map[string]bool{}
	for _, e := range h.events {
		for _, c := range e.Changes {
			if c.Field == "version" && string(c.New) == fmt.Sprintf("%q", version) {
				found[e.Entity.Slug] = true
			}
		}
	}
	return found
}

// await waits until the edge serves the build.
func (e *fleetEdge) await(build string) {
	e.f.t.Helper()
	await(e.f.t, e.host+" serves "+build, func() bool {
		status, body := e.f.ask(e.at(e.f.admin), http.MethodGet, "/readyz", "", "")
		return status == http.StatusOK && strings.Contains(string(body), build)
	})
}

// checkNewEdge adds an edge, which has no builds, and logs how long it takes to serve one.
func (f *fleet) checkNewEdge() {
	f.t.Helper()
	build := suite.Must(store.Current(filepath.Join(f.dir, "work", "build")))(f.t)
	start := time.Now()
	e := f.add()
	status, body := f.ask(e.at(f.port), http.MethodGet, "/api/entity/tool/tool-1", "", "")
	if status != http.StatusOK || !strings.Contains(string(body), build) {
		f.t.Errorf("a new edge: %d %s", status, body)
	}
	f.t.Logf("a new edge serves its first request %v after its start", time.Since(start).Round(10*time.Millisecond))
}
