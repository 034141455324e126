package edgetest

import (
	"bytes"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"kindex/builder/safedial"
	"kindex/builder/suite"
)

// Cut sends only the first after bytes of a response body and then breaks the connection. It does
// this to the first few GET requests whose path starts with path; times is their number.
func Cut(path string, after int64, times int64) func(http.Handler) http.Handler {
	var left atomic.Int64
	left.Store(times)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, path) || left.Add(-1) < 0 {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(&cutting{ResponseWriter: w, left: after}, r)
		})
	}
}

type cutting struct {
	http.ResponseWriter
	left int64
}

// Write implements http.ResponseWriter.
func (c *cutting) Write(b []byte) (int, error) {
	if int64(len(b)) <= c.left {
		c.left -= int64(len(b))
		return c.ResponseWriter.Write(b)
	}
	_, _ = c.ResponseWriter.Write(b[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush() // without a flush, even the part already written would not be sent
	panic(http.ErrAbortHandler)
}

// Unwrap lets http.ResponseController reach the underlying writer.
func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// address is the address that the examples use for the edge.
const address = "http://127.0.0.1:8080"

// Block is a fenced block in a Markdown file.
type Block struct {
	Line     int    // line of its opening fence, from 1
	Language string // the first word after the opening fence
	// File is the file name if the block is a file. The name is the second word after the fence,
	// or the first line if that is a comment with only a file name, such as "# sync.py" or "//
	// sync.mjs". That line is part of the text.
	File string
	Text string
}

// Blocks returns the fenced blocks of a Markdown file under Root, in order.
func Blocks(t testing.TB, file string) []Block {
	t.Helper()
	source := suite.Must(os.ReadFile(filepath.Join(suite.Root(t), file)))(t)
	var blocks []Block
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if fenced, ok := n.(*ast.FencedCodeBlock); ok && entering {
			blocks = append(blocks, block(fenced, source))
		}
		return ast.WalkContinue, nil
	})
	if len(blocks) == 0 {
		t.Fatalf("%s has no fenced blocks", file)
	}
	return blocks
}

var namingLine = regexp.MustCompile(`^(?:#|//|--)[ \t]*([\w.][\w./-]*\.\w+)[ \t]*\n`)

func block(n *ast.FencedCodeBlock, source []byte) Block {
	b := Block{Text: string(n.Lines().Value(source))}
	if n.Info != nil {
		b.Line = 1 + bytes.Count(source[:n.Info.Segment.Start], []byte("\n"))
		words := append(strings.Fields(string(n.Info.Value(source))), "", "")
		b.Language, b.File = words[0], words[1]
	} else if n.Lines().Len() > 0 {
		b.Line = bytes.Count(source[:n.Lines().At(0).Start], []byte("\n"))
	}
	if m := namingLine.FindStringSubmatch(b.Text); m != nil && b.File == "" {
		b.File = m[1]
	}
	return b
}

// shown reports whether a program printed what an example shows. In the example, "…" matches any
// output, and a line break with the spaces around it matches any amount of space, because long
// output is wrapped for the reader.
func shown(want, got string) bool {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = regexp.MustCompile(`[ \t]*\n\s*`).ReplaceAllString(pattern, `\s*`)
	pattern = strings.ReplaceAll(pattern, "…", `(?s:.*?)`)
	return regexp.MustCompile(`^\s*` + pattern + `\s*$`).MatchString(got)
}

// Delivery is a request that a receiver has received, together with the status of its response.
type Delivery struct {
	Header http.Header
	Body   []byte
	Status int
}

// Receiver is an endpoint that receives webhook deliveries.
type Receiver struct {
	URL string // https
	// Guard lets an edge call only this receiver.
	Guard *safedial.Guard
	// Came is the channel on which deliveries arrive. The receiver responds with 204 unless
	// Answer sets a different status.
	Came chan Delivery

	status atomic.Int64
}

// Answer sets the status of all further responses.
func (r *Receiver) Answer(status int) { r.status.Store(int64(status)) }

// NewReceiver starts a receiver that runs until its test ends.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{Came: make(chan Delivery, 100)}
	r.Answer(http.StatusNoContent)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Errorf("reading a delivery: %v", err)
		}
		status := int(r.status.Load())
		r.Came <- Delivery{req.Header, body, status}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	r.URL = server.URL
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	r.Guard = Guard(t, roots, strings.TrimPrefix(server.URL, "https://"))
	return r
}
