package mcp

import (
	"bufio"
	"bytes"
	"cmp"
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

const maxLine = 1 << 20

// Serve implements the protocol on a pair of streams, with one message per line, until in or ctx
// ends. Requests that were read before the end of in are still answered. A line that is no message is
// answered with an error.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	read, write := io.Pipe()
	l := &lines{out: out}
	go func() { _ = write.CloseWithError(l.forward(in, write, s.time)) }() // its own error is always nil
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: read, Writer: l})
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return nil //nolint:nilerr // the streams ended normally
	}
	return fmt.Errorf("invalid message on stdin (expected JSON-RPC, one message per line): %w", err)
}

// lines stands between the streams and the protocol library, which ends at a line that is no message,
// and drops the unanswered calls at the end of its input.
type lines struct {
	calls sync.WaitGroup // that were read but not answered

	mu  sync.Mutex
	out io.Writer
}

// forward writes the lines that are messages, answers all others, and returns when in has ended and all
// calls have been answered, for which it waits no longer than wait.
func (l *lines) forward(in io.Reader, to io.Writer, wait time.Duration) error {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		m, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			err = l.refuse(line)
		} else {
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				l.calls.Add(1)
			}
			_, err = to.Write(append(line[:len(line):len(line)], '\n'))
		}
		if err != nil {
			return err
		}
	}
	answered := make(chan struct{})
	go func() {
		l.calls.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(wait):
	}
	return cmp.Or(s.Err(), io.EOF)
}

// refuse answers a line that is no message.
func (l *lines) refuse(line []byte) error {
	code, problem := jsonrpc.CodeParseError, "The line is no JSON"
	if json.Valid(line) {
		code, problem = jsonrpc.CodeInvalidRequest, "The line is no JSON-RPC message"
	}
	_, err := l.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"%s; send one message per line."}}`+"\n", code, problem))
	return err
}

// Write implements io.Writer for one message of the protocol library, or of refuse.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m, err := jsonrpc.DecodeMessage(line); err == nil {
		if r, ok := m.(*jsonrpc.Response); ok && r.ID.IsValid() {
			defer l.calls.Done()
		}
	}
	return l.out.Write(line)
}

// Close implements io.Closer. The streams stay open.
func (*lines) Close() error { return nil }
