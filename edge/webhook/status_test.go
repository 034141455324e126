package webhook

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"kindex/builder/suite"
)

// TestStatusesThatAreNone has an endpoint respond over HTTP/2 with a different number each
// time, whether or not it is a valid status. This must not create a metrics series for each
// number.
func TestStatusesThatAreNone(t *testing.T) {
	var next atomic.Int64
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) { answerStatuses(c, &next) }}
	s.TLS = &tls.Config{NextProtos: []string{"h2"}}
	s.StartTLS()
	defer s.Close()
	c := senderTo(t, s, s.URL)
	outcomes := map[string]bool{}
	for _, status := range []int{204, 1, 99, 600, 700, 999, 1000, 20_400, 1_234_567, -200, 1 << 40} {
		next.Store(int64(status))
		a := c.call(t, s.URL)
		outcomes[a.outcome] = true
		if status == 204 != a.success() || a.status != 0 && (a.status < 100 || a.status > 599) {
			t.Errorf("%d was recorded as %d, %q: %s", status, a.status, a.outcome, a.failure)
		}
	}
	suite.Equal(t, len(outcomes), 2, "metrics outcomes")
}

// answerStatuses runs a minimal HTTP/2 server.
func answerStatuses(c *tls.Conn, next *atomic.Int64) {
	defer c.Close()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c, preface); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	if f.WriteSettings() != nil {
		return
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = f.WriteSettingsAck()
			}
		case *http2.DataFrame:
			if frame.StreamEnded() {
				var block bytes.Buffer
				if err = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: strconv.FormatInt(next.Load(), 10)}); err == nil {
					err = f.WriteHeaders(http2.HeadersFrameParam{StreamID: frame.StreamID, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
				}
			}
		}
		if err != nil {
			return
		}
	}
}
