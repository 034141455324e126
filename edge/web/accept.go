package web

import (
	"iter"
	"strconv"
	"strings"
)

// PrefersMarkdown reports whether Accept prefers Markdown to JSON (RFC 9110 section 12.5.1). If
// it prefers neither, the response is JSON.
func PrefersMarkdown(accept []string) bool {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == JSONType) {
		return false // the case for most requests
	}
	var markdown, json mediaQuality
	for _, line := range accept {
		markdown.read(line, "text/markdown", "text/*")
		json.read(line, JSONType, "application/*")
	}
	return markdown.q > json.q
}

// mediaQuality is the quality value of a media type. It is taken from the most specific range
// that matches the media type.
type mediaQuality struct {
	q           float64
	specificity int
}

func (best *mediaQuality) read(accept, exact, kind string) {
	for name, q := range qualities(accept) {
		specific := 0
		switch name {
		case exact:
			specific = 3
		case kind:
			specific = 2
		case "*/*":
			specific = 1
		}
		if specific > best.specificity {
			*best = mediaQuality{q, specific}
		}
	}
}

// qualities returns the elements of a list in a header and their quality values, which are 1 if they are
// missing or invalid (RFC 9110 section 12.4.2).
func qualities(header string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for part := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(part, ";")
			quality := 1.0
			for p := range strings.SplitSeq(params, ";") {
				key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if q, err := strconv.ParseFloat(value, 64); strings.EqualFold(key, "q") && err == nil && q >= 0 && q <= 1 {
					quality = q
					break
				}
			}
			if !yield(strings.ToLower(strings.TrimSpace(name)), quality) {
				return
			}
		}
	}
}

// PrefersHTML reports whether Accept names HTML and does not prefer JSON to it (RFC 9110 section
// 12.5.1), as is the case for browsers. Clients that accept everything, such as curl, do not
// name HTML.
func PrefersHTML(accept []string) bool {
	var html, json, problem mediaQuality
	for _, line := range accept {
		html.read(line, "text/html", "text/*")
		json.read(line, JSONType, "application/*")
		problem.read(line, problemType, "application/*")
	}
	return html.specificity > 1 && html.q > 0 && html.q >= max(json.q, problem.q)
}

func PrefersYAML(accept string) bool {
	y, j := strings.Index(accept, "yaml"), strings.Index(accept, "json")
	return y >= 0 && (j < 0 || y < j)
}
