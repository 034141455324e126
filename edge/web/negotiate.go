package web

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// identity is the content coding that means no compression.
const identity = "identity"

const minCompressLen = 1024

// negotiateEncoding returns the content coding that the client prefers (RFC 9110 section 12.5.3)
// among those offered, which are listed in the server's order of preference. identity is always
// possible. "*" alone does not select a coding, because many clients that send it can decode
// only gzip or nothing. A client that also rejects identity gets gzip.
func negotiateEncoding(accept string, offered []string) string {
	accepted := make(map[string]float64, 4)
	for name, q := range qualities(accept) {
		if name == "x-gzip" {
			name = "gzip"
		}
		accepted[name] = q
	}
	best, bestQ := identity, 0.0
	for _, enc := range offered {
		if q := accepted[enc]; q > bestQ {
			best, bestQ = enc, q
		}
	}
	identityQ, named := accepted[identity]
	_, gzipNamed := accepted["gzip"]
	switch {
	case best == identity && named && identityQ == 0 && accepted["*"] > 0 && !gzipNamed && slices.Contains(offered, "gzip"):
		return "gzip"
	case identityQ > bestQ:
		return identity
	}
	return best
}

// compressible reports whether it is worthwhile to compress data of a media type.
func compressible(mediaType string) bool {
	base, _, _ := strings.Cut(mediaType, ";")
	return !slices.Contains([]string{"application/vnd.apache.parquet", "application/octet-stream", "application/gzip", "application/zstd"}, base)
}

var offeredEncodings = []string{"zstd", "gzip"}

// PrefersMarkdown reports whether Accept prefers Markdown to JSON (RFC 9110 section 12.5.1). If
// it prefers neither, the response is JSON.
func PrefersMarkdown(accept []string) bool {
	markdown, _ := qualityOf(accept, "text/markdown")
	json, _ := qualityOf(accept, JSONType)
	return markdown > json
}

// qualityOf returns the quality value of a media type, which is that of the most specific range that
// matches it, and how specific that is: 3 for the type itself, and 0 if none matches.
func qualityOf(accept []string, mediaType string) (quality float64, specificity int) {
	kind, _, _ := strings.Cut(mediaType, "/")
	ranges := []string{"", "*/*", kind + "/*", mediaType}
	for _, line := range accept {
		for name, q := range qualities(line) {
			if i := slices.Index(ranges, name); i > specificity {
				quality, specificity = q, i
			}
		}
	}
	return quality, specificity
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
	html, specificity := qualityOf(accept, "text/html")
	json, _ := qualityOf(accept, JSONType)
	problem, _ := qualityOf(accept, problemType)
	return specificity > 1 && html > 0 && html >= max(json, problem)
}

// PrefersYAML reports whether Accept names YAML before JSON.
func PrefersYAML(accept string) bool {
	y, j := strings.Index(accept, "yaml"), strings.Index(accept, "json")
	return y >= 0 && (j < 0 || y < j)
}
