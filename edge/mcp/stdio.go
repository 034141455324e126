package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the maximum size of a message on stdin.
const maxLine = 1 << 20

// Serve implements the protocol on a pair of streams, with one message per line, until in or ctx
// ends. Requests that were read before the end of in are still answered. A line that is no message is
// answered with an error.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	w := &keepOpen{Writer: out}
	lines := &sdk.IOTransport{Reader: &messages{ReadCloser: in, lines: bufio.NewReaderSize(in, maxLine+2), errors: w}, Writer: w, MaxLineLength: maxLine}
	err := s.sdk.Run(ctx, patient{lines, s.time})
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return nil //nolint:nilerr // the streams ended normally
	}
	return fmt.Errorf("invalid message on stdin (expected JSON-RPC, one message per line): %w", err)
}

// keepOpen is a writer that the transport cannot close. It is safe for concurrent use.
type keepOpen struct {
	io.Writer
	mu sync.Mutex
}

// Write implements io.Writer.
func (w *keepOpen) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(p)
}

// Close implements io.Closer.
func (*keepOpen) Close() error { return nil }

// messages is input without the lines that are no messages, at which the protocol library would end. Batches
// and lines that are too long are left to it.
type messages struct {
	io.ReadCloser
	lines  *bufio.Reader
	errors io.Writer
	rest   []byte // of a line
	err    error  // after it
}

// Read implements io.Reader.
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 && m.err == nil {
		var line []byte
		line, m.err = m.lines.ReadSlice('\n')
		isLong := errors.Is(m.err, bufio.ErrBufferFull)
		if isLong {
			m.err = nil
		}
		if text := bytes.TrimSpace(line); len(text) == 0 || isLong || text[0] == '[' {
			m.rest = line
		} else if _, err := jsonrpc.DecodeMessage(text); err == nil {
			m.rest = line
		} else if err := m.refuse(text); err != nil {
			return 0, err
		}
	}
	if len(m.rest) == 0 {
		return 0, m.err
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// refuse answers a line that is no message.
func (m *messages) refuse(line []byte) error {
	code, problem := jsonrpc.CodeParseError, "The line is no JSON"
	if json.Valid(line) {
		code, problem = jsonrpc.CodeInvalidRequest, "The line is no JSON-RPC message"
	}
	_, err := fmt.Fprintf(m.errors, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"%s; send one message per line."}}`+"\n", code, problem)
	return err
}

// patient is a transport that reports the end of its input only after all calls have been
// answered, or after a timeout. Otherwise, the protocol library would drop unanswered calls.
type patient struct {
	sdk.Transport
	most time.Duration
}

// Connect implements sdk.Transport.
func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConnection{Connection: c, most: p.most, answered: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type patientConnection struct {
	sdk.Connection
	most     time.Duration
	answered chan struct{} // signals that all calls may have been answered
	closed   chan struct{}
	once     sync.Once

	mu    sync.Mutex
	calls int // number of calls that were read but not answered
}

// Read implements sdk.Connection.
func (c *patientConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.IsCall() {
		c.count(1)
	}
	if errors.Is(err, io.EOF) {
		c.wait(ctx)
	}
	return m, err
}

// Write implements sdk.Connection.
func (c *patientConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.count(-1)
	}
	return err
}

// Close implements sdk.Connection.
func (c *patientConnection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *patientConnection) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls += n; c.calls <= 0 {
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
}

func (c *patientConnection) none() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls <= 0
}

func (c *patientConnection) wait(ctx context.Context) {
	late := time.NewTimer(c.most)
	defer late.Stop()
	for !c.none() {
		select {
		case <-c.answered:
		case <-late.C:
			return
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}
