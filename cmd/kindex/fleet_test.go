package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"kindex/builder/suite"
	"kindex/edge/auth/authtest"
	"kindex/exports/bucket/buckettest"
	"kindex/exports/store"
)

const deployFolder = "../../edge/deploy"

// fleet is the set-up of edge/deploy on loopback: a bucket, a builder, PostgreSQL, edges, and
// HAProxy with the configuration and the scripts that are shipped. Edges have addresses of their
// own and the same ports, as in containers.
type fleet struct {
	t                     *testing.T
	dir                   string
	content               string // a git repository with a folder content
	from, to              string // the bucket, for edges and for the builder
	database, operatorKey string
	port, admin           int          // of edges
	proxy, stats          string       // addresses of the proxy
	client                *http.Client // trusts the proxy
	hook                  *hearing
	provider              *authtest.GitHub // people sign in with it
	edges                 []*fleetEdge
	names                 *names
	builds                map[string]int // generation of the content, by build
	generation, entityN   int
}

// fleetEdge is an edge of a fleet.
type fleetEdge struct {
	f     *fleet
	host  string // 127.0.0.N
	cmd   *exec.Cmd
	log   bytes.Buffer
	ended chan error
}

// newFleet starts everything but the edges and the database. The content has n tools.
func newFleet(t *testing.T, n int, database string) *fleet {
	t.Helper()
	dir := t.TempDir()
	f := &fleet{t: t, dir: dir, content: filepath.Join(dir, "repository"), database: database, operatorKey: filepath.Join(dir, "operator.key"),
		hook: startHearing(t, dir), provider: authtest.StartGitHub(t), names: startNames(t), builds: map[string]int{}, entityN: n}
	suite.Check(t, os.WriteFile(f.operatorKey, []byte("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"), 0o600))
	f.startBucket()
	f.port, f.admin = freePort(t), freePort(t)
	f.startProxy()
	return f
}

func freePort(t *testing.T) int {
	t.Helper()
	_, port, err := net.SplitHostPort(suite.FreeAddress(t))
	suite.Check(t, err)
	return suite.Must(strconv.Atoi(port))(t)
}

// startBucket starts the bucket. In make soak it is in versitygw, where bucket.sh lets everybody
// read it; otherwise it is a folder that a web server shows.
func (f *fleet) startBucket() {
	f.t.Helper()
	if suite.Soaking() {
		buckettest.S3(f.t)
		f.to, f.from = "s3://fleet", os.Getenv("AWS_ENDPOINT_URL")+"/fleet"
		f.script("bucket.sh", []string{"fleet"})
		f.script("bucket.sh", []string{"fleet"}) // once more changes nothing
		return
	}
	folder := filepath.Join(f.dir, "bucket")
	suite.Check(f.t, os.Mkdir(folder, 0o755))
	web := httptest.NewServer(http.FileServerFS(os.DirFS(folder)))
	f.t.Cleanup(web.Close)
	f.from, f.to = web.URL, "file:"+folder
}

// script runs a script of edge/deploy.
func (f *fleet) script(name string, args []string, env ...string) (printed string) {
	f.t.Helper()
	cmd := exec.Command("sh", append([]string{filepath.Join(deployFolder, name)}, args...)...)
	cmd.Env = append(append(os.Environ(), programEnvironment...), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Errorf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// startProxy starts HAProxy with the shipped configuration; only addresses and file names are
// replaced.
func (f *fleet) startProxy() {
	f.t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	server.Close()
	key := suite.Must(x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey))(f.t)
	cert := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})...)
	public, plain, health := suite.FreeAddress(f.t), suite.FreeAddress(f.t), suite.FreeAddress(f.t)
	text := readText(f.t, filepath.Join(deployFolder, "haproxy.cfg"))
	for _, r := range [][2]string{{"bind :8080", "bind " + plain}, {"bind :8443", "bind " + public}, {"bind :8404", "bind " + health}, {"/run/secrets/tls.pem", filepath.Join(f.dir, "tls.pem")},
		{"parse-resolv-conf", "nameserver test " + f.names.address}, {"check port 8081", fmt.Sprint("check port ", f.admin)}, {"edge:8080", fmt.Sprint("edge:", f.port)}} {
		if strings.Count(text, r[0]) != 1 {
			f.t.Fatalf("haproxy.cfg does not contain %q once", r[0])
		}
		text = strings.Replace(text, r[0], r[1], 1)
	}
	for name, data := range map[string][]byte{"tls.pem": cert, "haproxy.cfg": []byte(text)} {
		suite.Check(f.t, os.WriteFile(filepath.Join(f.dir, name), data, 0o600))
	}
	program, err := exec.LookPath("haproxy")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/haproxy") // which is not in the PATH of every user
	}
	if err != nil {
		suite.Missing(f.t, "haproxy")
	}
	cmd := exec.Command(program, "-db", "-f", filepath.Join(f.dir, "haproxy.cfg"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	suite.Check(f.t, cmd.Start())
	f.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if f.t.Failed() {
			f.t.Logf("haproxy:\n%s", log.String())
		}
	})
	f.proxy, f.stats = "https://"+public, "http://"+health+"/stats;csv"
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.RootCAs, transport.MaxIdleConnsPerHost = roots, 16
	f.client = &http.Client{Transport: transport, Timeout: hanging, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	f.t.Cleanup(transport.CloseIdleConnections)
}

// publish changes all tools of the content, commits, and runs builder.sh.
func (f *fleet) publish() (id string) {
	f.t.Helper()
	f.generation++
	for i := range f.entityN {
		text := fmt.Sprintf("name: Tool %d\ncategory: kind-%d\ndescription: Tool number %d as of generation %d.\ntags: [t%d]\n"+
			"signals:\n  stars: {value: %d, date: 2026-06-01, source: https://example.org/%d}\n", i, i%3, i, f.generation, i%5, i*i+f.generation, i)
		if f.generation > 1 { // the first version is an event, too
			text += fmt.Sprintf("version: \"%d\"\n", f.generation)
		}
		writeFile(f.t, filepath.Join(f.content, "content", "tool", fmt.Sprintf("tool-%d.yaml", i)), text)
	}
	id, _ = f.build(fmt.Sprintf("2026-07-01T00:%02d:00Z", f.generation))
	f.builds[id] = f.generation
	return id
}

// build commits the content, and runs builder.sh with the as-of time.
func (f *fleet) build(asOf string) (id, printed string) {
	f.t.Helper()
	if _, err := os.Stat(filepath.Join(f.content, ".git")); err != nil {
		commitAll(f.t, f.content)
	} else {
		f.commit()
	}
	work := filepath.Join(f.dir, "work")
	printed = f.script("builder.sh", nil, "CONTENT_REPOSITORY="+f.content, "BUCKET="+f.to, "WORK="+work, "KINDEX_AS_OF="+asOf)
	return suite.Must(store.Current(filepath.Join(work, "build")))(f.t), printed
}

func (f *fleet) commit() {
	f.t.Helper()
	at := time.Date(2026, 3, 1, 10, f.generation, 0, 0, time.UTC)
	suite.Git(f.t, f.content, at, "commit", "-q", "-a", "-m", fmt.Sprint("Generation ", f.generation))
}

// add starts another edge, and tells the proxy its address.
func (f *fleet) add() *fleetEdge {
	f.t.Helper()
	e := &fleetEdge{f: f, host: fmt.Sprint("127.0.0.", len(f.edges)+2)}
	f.edges = append(f.edges, e)
	e.start()
	f.names.add(e.host)
	f.t.Cleanup(func() {
		_ = e.cmd.Process.Kill() // it may have ended
		<-e.ended                //nolint:errcheck // it was killed
		if f.t.Failed() {
			f.t.Logf("%s:\n%s", e.host, e.log.String())
		}
	})
	f.awaitProxy()
	return e
}

// awaitProxy waits until the proxy sends requests to all edges.
func (f *fleet) awaitProxy() {
	f.t.Helper()
	await(f.t, fmt.Sprintf("the proxy uses %d edges", len(f.edges)), func() bool {
		_, text := f.ask(f.stats, http.MethodGet, "", "", "")
		return len(servesRequests.FindAll(text, -1)) == len(f.edges)
	})
}

// servesRequests matches the line of an edge that is up in the statistics of HAProxy.
var servesRequests = regexp.MustCompile(`(?m)^edges,edge\d+,.*,UP,`)

// at returns the address of a port of the edge.
func (e *fleetEdge) at(port int) string {
	return "http://" + net.JoinHostPort(e.host, strconv.Itoa(port))
}

// start starts the edge, and waits until it is ready.
func (e *fleetEdge) start() {
	f := e.f
	f.t.Helper()
	e.cmd = program("serve", "--from", f.from, "--interval", "1s", "--dir", filepath.Join(f.dir, e.host), "--addr", fmt.Sprintf("%s:%d", e.host, f.port), "--admin", fmt.Sprintf("%s:%d", e.host, f.admin),
		"--state", f.database, "--operator-key", f.operatorKey, "--url", f.proxy, "--trusted-proxies", "127.0.0.1", "--limit-anonymous", "0", "--limit-key", "0", "--limit-pages", "0",
		"--drain-delay", "1200ms", "--drain", "1m", "--webhook-allow", f.hook.address, "--log-format", "json",
		"--signin-github-client", authtest.Client, "--signin-github-url", f.provider.URL)
	e.cmd.Env = append(e.cmd.Env, "SSL_CERT_FILE="+f.hook.roots, "KINDEX_SIGNIN_GITHUB_SECRET="+authtest.ClientSecret)
	e.cmd.Stderr = &e.log
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	e.ended = make(chan error, 1)
	if err := e.cmd.Start(); err != nil {
		f.t.Error(err)
		e.ended <- err
		return
	}
	go func() { e.ended <- e.cmd.Wait() }()
	await(f.t, e.host+" is ready", func() bool {
		res, err := http.Get(e.at(f.admin) + "/readyz")
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	})
}

// restart stops the edge as an operator would, and starts it again.
func (e *fleetEdge) restart() {
	e.f.t.Helper()
	if err := errors.Join(e.cmd.Process.Signal(syscall.SIGTERM), <-e.ended); err != nil {
		e.f.t.Errorf("%s: %v", e.host, err)
	}
	e.start()
	e.f.awaitProxy()
}

// await waits until ok returns true or the test has failed. Any goroutine may call it.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(hanging); !ok() && !t.Failed(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("timed out: %s", what)
		}
	}
}

// names is a name server that knows the addresses of edges.
type names struct {
	address string
	hosts   chan []string // holds the current list
}

func startNames(t *testing.T) *names {
	t.Helper()
	conn := suite.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = conn.Close() })
	n := &names{address: conn.LocalAddr().String(), hosts: make(chan []string, 1)}
	n.hosts <- nil
	go func() {
		for buf := make([]byte, 4096); ; {
			length, from, err := conn.ReadFrom(buf)
			if err != nil {
				return // closed
			}
			if reply := n.reply(buf[:length]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return n
}

func (n *names) add(host string) { n.hosts <- append(<-n.hosts, host) }

// reply answers a question with all addresses, or returns nil if it is no question.
func (n *names) reply(question []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		return nil
	}
	hosts := <-n.hosts
	n.hosts <- hosts
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	q := m.Questions[0]
	for _, host := range hosts {
		if q.Type == dnsmessage.TypeA {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1},
				Body: &dnsmessage.AResource{A: [4]byte(net.ParseIP(host).To4())}})
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}
