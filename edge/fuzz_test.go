package edge_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/auth"
	"kindex/edge/auth/authtest"
	"kindex/edge/edgetest"
	"kindex/edge/storage"
)

var (
	length = flag.Duration("fuzz-edge", 0, "how long TestWholeEdge sends requests; 0: a few thousand of them")
	seed   = flag.Uint64("fuzz-edge-seed", 1, "the seed from which TestWholeEdge draws its requests")
)

const (
	workers = 4
	// maxGrowth is the number of bytes by which the heap of an edge may grow between the first
	// quarter and the end of a run, after garbage collection. This leaves room for the tables,
	// each of which has a maximum number of entries, but not for a leak: at 1,000 requests a
	// second, leaking 16 bytes per request for 20 minutes would exceed it.
	maxGrowth = 16 << 20
)

// TestWholeEdge sends requests generated from the API description, with mutated values, headers
// and bodies, to every address of an edge: the API, /data, /mcp, badges, the website, the form,
// sign-in and the panel. No response may be a 5xx, no error may be logged, every response must
// follow the common rules, and the memory use of the edge must not grow.
func TestWholeEdge(t *testing.T) {
	suite.InTest(t)
	f := newFuzz(t)
	rounds := suite.Pick(350, 4000) // per worker
	var end time.Time
	if *length > 0 {
		rounds, end = 1<<40, time.Now().Add(*length)
	}
	// The first quarter fills the bounded tables.
	quarter, rest := rounds/4, rounds-rounds/4
	middle := end
	if *length > 0 {
		middle = time.Now().Add(*length / 4)
	}
	f.run(t, 0, quarter, middle)
	before := heap()
	f.run(t, workers, rest, end)
	after := heap()
	t.Logf("%d requests from seed %d, %d kinds of answers; %d KiB after the first quarter, %d KiB at the end",
		f.sent.Load(), *seed, len(f.seen), before>>10, after>>10)
	suite.Holds(t, after <= before+maxGrowth, "memory use grew from", before>>10, "KiB to", after>>10, "KiB")
	for more := uint64(2); len(f.unreached()) > 0 && more < 12; more++ { // chance: few requests have only valid parameters
		f.run(t, more*workers, quarter, end)
	}
	suite.Equal(t, f.unreached(), nil, "what no request reached")
	if busy, sent := f.busy.Load(), f.sent.Load(); busy > sent/2 {
		t.Errorf("%d of %d requests were refused as busy: too few reached the edge's handlers", busy, sent)
	}
	suite.Equal(t, f.status(t), http.StatusOK, "the key of the requests")
}

// status sends a request with the fuzzer's key and returns the status.
func (f *fuzz) status(t *testing.T) int {
	t.Helper()
	r := suite.Must(http.NewRequest(http.MethodGet, f.edge.URL+"/api/developer/api-keys", nil))(t)
	r.Header.Set("x-api-key", f.key)
	res := suite.Must(http.DefaultClient.Do(r))(t)
	defer res.Body.Close()
	return res.StatusCode
}

// heap returns the size in bytes of the memory in use after a forced garbage collection.
func heap() uint64 {
	runtime.GC()
	debug.FreeOSMemory() // the second collection frees the contents of each sync.Pool
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// fuzz is an edge under test, with the values that the senders have learned from its responses.
type fuzz struct {
	edge    *edgetest.Edge
	address string
	ops     []*endpoint
	key     string // a key whose limit is never reached
	keyID   string // the ID of key; no request revokes this key
	spent   string // a key that has no requests left
	cookie  string // the cookie of a signed-in session
	token   string // the token in that session's forms
	sent    atomic.Int64
	busy    atomic.Int64 // requests refused as busy

	mu       sync.Mutex
	learned  map[string][]string // values seen in responses, by kind
	seen     map[string]int      // number of responses, by "operation status"
	problems int
}

func newFuzz(t *testing.T) *fuzz {
	t.Helper()
	hub := authtest.StartGitHub(t)
	f := &fuzz{ops: endpoints(t), learned: map[string][]string{}, seen: map[string]int{}}
	f.edge = edgetest.Start(t, edge.Options{
		Guard:          edgetest.Guard(t, nil, "127.0.0.1:9"), // webhooks may use one address on this machine
		LimitAnonymous: 1e12, LimitKey: 1e12, Contact: "operator@example.org", Log: slog.New(&watchedLog{t: t, fuzz: f}),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		SignIn:         auth.Options{GitHub: auth.GitHub{Client: authtest.Client, Secret: authtest.ClientSecret, URL: hub.URL}},
	})
	f.address = strings.TrimPrefix(f.edge.URL, "http://")
	f.learned["day"] = []string{edgetest.Today().Format(time.DateOnly), edgetest.Today().AddDate(0, 0, -1).Format(time.DateOnly)}
	f.key, f.keyID = f.edge.Key(t, "fuzz"), f.firstKey(t, "fuzz")
	f.spent = f.edge.Key(t, "spent")
	f.exhaust(t, "spent")
	f.signIn(t, hub)
	return f
}

// signIn signs a user in and keeps the session's cookie and form token.
func (f *fuzz) signIn(t *testing.T, hub *authtest.GitHub) {
	t.Helper()
	hub.Answer(http.StatusOK, `{"id": 1, "login": "visitor"}`)
	jar := suite.Must(cookiejar.New(nil))(t)
	client := &http.Client{Jar: jar}
	ask := func(method, path string) string {
		r := suite.Must(http.NewRequest(method, f.edge.URL+path, nil))(t)
		r.Header.Set("Origin", f.edge.URL)
		res := suite.Must(client.Do(r))(t)
		defer res.Body.Close()
		body := suite.Must(io.ReadAll(res.Body))(t)
		return string(body)
	}
	ask(http.MethodPost, "/signin/github")
	field := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(ask(http.MethodGet, "/developer/"))
	suite.Require(t, field != nil, "you were not signed in")
	f.token = field[1]
	r := suite.Must(http.NewRequest(http.MethodGet, f.edge.URL+"/developer/", nil))(t)
	for _, c := range jar.Cookies(r.URL) {
		f.cookie += c.Name + "=" + c.Value + "; "
	}
}

// firstKey returns the ID of an account's first key.
func (f *fuzz) firstKey(t *testing.T, account string) string {
	t.Helper()
	a := suite.Must(f.edge.State.AccountNamed(t.Context(), account))(t)
	return suite.Must(f.edge.State.Keys(t.Context(), a.ID))(t)[0].ID
}

// exhaust uses up an account's limit.
func (f *fuzz) exhaust(t *testing.T, account string) {
	t.Helper()
	a, err := f.edge.State.AccountNamed(t.Context(), account)
	if err == nil {
		err = f.edge.State.Write(t.Context(), func(tx *storage.Tx) error { return tx.SetQuota(a.ID, 1, 0) })
	}
	suite.Check(t, err)
}

// run sends requests from all workers until each of them has completed the given number of rounds
// or, if end is set, until that time.
func (f *fuzz) run(t *testing.T, stream uint64, rounds int, end time.Time) {
	var group sync.WaitGroup
	for w := range uint64(workers) {
		group.Go(func() {
			s := newSender(f, *seed, stream+w)
			defer s.close()
			for i := 0; i < rounds && (end.IsZero() || time.Now().Before(end)); i++ {
				problem := s.once(i)
				suite.Holds(t, problem == "" || !f.report(), problem)
			}
		})
	}
	group.Wait()
}

// report counts a problem and reports whether to print it. Only the first few problems are
// printed.
func (f *fuzz) report() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.problems++
	return f.problems <= 20
}

// note counts a response to an operation.
func (f *fuzz) note(op string, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[fmt.Sprintf("%s %d", op, status)]++
}

// rare are the operations that a short run seldom has accepted and refused: their requests need what another request
// has just made, or a caller from elsewhere.
var rare = []string{"revokeApiKey", "revokeLeakedKey", "testWebhook", "replayDelivery", "start to sign in"}

// unreached returns the other operations that have not accepted some requests and refused others. A fuzzer that only
// has its requests refused finds nothing.
func (f *fuzz) unreached() (list []string) {
	for _, op := range f.ops {
		var good, bad bool
		for key := range f.seen {
			if status, ok := strings.CutPrefix(key, op.OperationID+" "); ok && len(status) == 3 {
				good, bad = good || status < "400", bad || status >= "400"
			}
		}
		if (!good && !op.absent || !bad && op.Method != http.MethodGet) && !slices.Contains(rare, op.OperationID) {
			list = append(list, fmt.Sprintf("%s: succeeded %v, refused %v", op.OperationID, good, bad))
		}
	}
	return list
}

// watchedLog fails the test for everything that an edge logs as an error: a panic, an aborted
// stream, or a failed write to the database.
type watchedLog struct {
	t    *testing.T
	fuzz *fuzz
}

func (l *watchedLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelError
}
func (l *watchedLog) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *watchedLog) WithGroup(string) slog.Handler      { return l }
func (l *watchedLog) Handle(_ context.Context, r slog.Record) error {
	var text strings.Builder
	text.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		return true
	})
	suite.Holds(l.t, !l.fuzz.report(), "the edge logged an error", text.String())
	return nil
}
