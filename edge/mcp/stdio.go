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

// maxLine is the maximum size of a message on stdin.
const maxLine = 1 << 20

// Serve implements the protocol on a pair of streams, with one message per line, until in or ctx
// ends. Requests that were read before the end of in are still answered. A line that is no message is
// answered with an error.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	open, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	err := s.sdk.Run(ctx, &lines{in: in, out: out, most: s.time, read: make(chan []byte), closed: open.Done(), end: end})
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return nil // the streams ended normally
	}
	return fmt.Errorf("invalid message on stdin (expected JSON-RPC, one message per line): %w", err)
}

// lines is a connection over a pair of streams, and its own transport. The one of the protocol library
// ends at a line that is no message, and drops the unanswered calls at the end of its input.
type lines struct {
	in      io.Reader
	out     io.Writer
	most    time.Duration  // how long the last calls are waited for
	read    chan []byte    // lines of in; closed at its end
	err     error          // why it ended
	calls   sync.WaitGroup // that were read but not answered
	writing sync.Mutex
	closed  <-chan struct{}
	end     func() // closes closed
}

// Connect implements sdk.Transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.scan()
	return l, nil
}

// scan reads lines in its own goroutine, because a stream cannot be told to stop reading.
func (l *lines) scan() {
	s := bufio.NewScanner(l.in)
	s.Buffer(nil, maxLine)
	for s.Scan() {
		select {
		case l.read <- bytes.Clone(s.Bytes()):
		case <-l.closed:
			return
		}
	}
	l.err = cmp.Or(s.Err(), io.EOF)
	close(l.read)
}

// Read implements sdk.Connection.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case line, more := <-l.read:
			if !more {
				l.finish(ctx)
				return nil, l.err
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			m, err := jsonrpc.DecodeMessage(line)
			if err != nil {
				if err := l.refuse(line); err != nil {
					return nil, err
				}
				continue
			}
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				l.calls.Add(1)
			}
			return m, nil
		case <-l.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// finish waits until all calls have been answered.
func (l *lines) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.most)
	defer cancel()
	answered := make(chan struct{})
	go func() {
		l.calls.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-l.closed:
	case <-ctx.Done():
	}
}

// refuse answers a line that is no message.
func (l *lines) refuse(line []byte) error {
	code, problem := jsonrpc.CodeParseError, "The line is no JSON"
	if json.Valid(line) {
		code, problem = jsonrpc.CodeInvalidRequest, "The line is no JSON-RPC message"
	}
	return l.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"%s; send one message per line."}}`, code, problem))
}

// Write implements sdk.Connection.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err = cmp.Or(ctx.Err(), err); err == nil {
		err = l.write(line)
	}
	if _, ok := m.(*jsonrpc.Response); ok {
		l.calls.Done()
	}
	return err
}

func (l *lines) write(line []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(line, '\n'))
	return err
}

// Close implements sdk.Connection. The streams stay open.
func (l *lines) Close() error {
	l.end()
	return nil
}

// SessionID implements sdk.Connection.
func (*lines) SessionID() string { return "" }
