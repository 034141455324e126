package web

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// maxRanges is the maximum number of ranges in a request. Each range in the response has its own
// headers, so many small ranges make the response many times as large as the request.
const maxRanges = 10

// checkRanges rejects requests for too many or overlapping ranges with 416 (RFC 9110 section
// 15.5.17). If the ranges were ignored (section 14.2), clients that need only a small part would
// be sent the whole file. Malformed ranges are handled by http.ServeContent.
func (c *Call) checkRanges(content io.Seeker) error {
	list, ok := strings.CutPrefix(c.Request.Header.Get("Range"), "bytes=")
	if !ok || !strings.Contains(list, ",") {
		return nil
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	refuse := func(detail string) error {
		p := NewProblem("range-not-satisfiable", detail)
		p.Header = http.Header{"Content-Range": {"bytes */" + strconv.FormatInt(size, 10)}}
		return p
	}
	if n := strings.Count(list, ",") + 1; n > maxRanges {
		return refuse(fmt.Sprintf("The request has %d ranges; request at most %d, or the whole file.", n, maxRanges))
	}
	var seen []byteRange
	for item := range strings.SplitSeq(list, ",") {
		r, ok := parseRange(strings.TrimSpace(item), size)
		if !ok {
			continue
		}
		for _, other := range seen {
			if r.first <= other.last && other.first <= r.last {
				return refuse("The ranges overlap; request each byte only once.")
			}
		}
		seen = append(seen, r)
	}
	return nil
}

// byteRange is a part of a file, from the first to the last byte, inclusive.
type byteRange struct{ first, last int64 }

// parseRange parses one range of a file (RFC 9110 section 14.1.2). ok is false if the range is
// malformed or empty.
func parseRange(item string, size int64) (r byteRange, ok bool) {
	first, last, found := strings.Cut(item, "-")
	if !found || size == 0 {
		return r, false
	}
	if first == "" {
		n, err := strconv.ParseInt(last, 10, 64)
		return byteRange{max(0, size-n), size - 1}, err == nil && n > 0
	}
	var err error
	if r.first, err = strconv.ParseInt(strings.TrimSpace(first), 10, 64); err != nil || r.first < 0 || r.first >= size {
		return r, false
	}
	if r.last = size - 1; last != "" {
		n, err := strconv.ParseInt(strings.TrimSpace(last), 10, 64)
		if err != nil || n < r.first {
			return r, false
		}
		r.last = min(n, size-1)
	}
	return r, true
}
