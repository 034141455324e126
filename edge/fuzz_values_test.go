package edge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// samples contains values from the content for tests, by parameter name.
var samples = map[string][]string{
	"type":       {"tool", "model"},
	"slug":       {"pytorch", "tensorlayer", "keras", "mxnet", "o3", "pytorch.md", "nothing-like-it"},
	"category":   {"all", "nlp", "ml-frameworks", "speech-to-text"},
	"q":          {"gradient boosting", "pytrch", `"machine learning" c`, "a", "GPT-4"},
	"tag":        {"python", "deep-learning"},
	"capability": {"autodiff", "gpu"},
	"key":        {"openai", "google", "operating", "pipelines"},
	"sort":       {"composite", "quality", "name", "addedDate"},
	"day":        {"2026-11-01", "2024-02-29", "1970-01-01", "9999-12-31", "2026-02-30"},
	"window":     {"7d", "30d"},
	"event":      {"created", "updated", "entity.updated"},
	"letter":     {"a", "z", "0"},
	"n":          {"1", "2", "0", "999999999", "-1"},
	"file":       {"manifest.json", "entities.json", "entities.parquet", "entities.csv.gz", "changelog.jsonl", "schema.json"},
}

// hostile contains values that often break services.
var hostile = []string{
	"", " ", "\x00", "\xff\xfe", "\xc0\xaf", "\xed\xa0\x80", "../../../../etc/passwd", "..%2f..%2fetc/passwd", `..\..\windows\win.ini`, "//", "/.", "%00", "%2e%2e%2f",
	"'", `"`, "' OR '1'='1", "1; DROP TABLE keys;--", "<script>alert(1)</script>", "]]>", "{{7*7}}", "${7*7}", "%s%s%n", "$(id)", "`id`", "|id",
	"0", "-1", "1.5", "1e400", "NaN", "Infinity", "0x10", "2147483648", "9223372036854775808", "-9223372036854775809", "00000000000001", "1,2,3", "true", "null", "[]", "{}",
	"\u202e\u2066abc", "\u200b\u200d\ufeff", "\U000e0041\U000e0042", "a\u0300\u0301\u0302\u0303", "ﬀ", "İ", "ß", "漢字", "🏳️‍🌈", "\r\nX-Injected: 1", "a\tb", "con", ".git", "-rf", "@", "=1+1",
	"2026-02-30", "2026-11-01T00:00:00Z", "0000-00-00", "99999-01-01", "*", "a*", "^", "(((((", "\\", "a b c d e f g h i j k l m n o p", `"a b" "c d" "e`, "kx_", "kx_00000000000000000000000000000000000000",
}

// nasty returns a hostile value: one from the list, a long, repeated or random one, or one seen
// in a response.
func (s *sender) nasty() string {
	r := s.rng
	switch r.IntN(10) {
	case 0:
		return strings.Repeat(pick(r, hostile), 1+r.IntN(60))
	case 1:
		return strings.Repeat(string(rune('a'+r.IntN(26))), 1<<r.IntN(13))
	case 2:
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	case 3:
		return strings.Repeat(pick(r, []string{"a,", "a ", "-", "[", "é", "a=b&"}), 1+r.IntN(400))
	case 4:
		for _, kind := range []string{"cursor", "build", "etag"} {
			if known := s.fuzz.recall(kind); len(known) > 0 && r.IntN(2) == 0 {
				return s.flip(pick(r, known))
			}
		}
	}
	return pick(r, hostile)
}

// flip changes, removes or duplicates part of a string.
func (s *sender) flip(text string) string {
	if text == "" {
		return text
	}
	b := []byte(text)
	at := s.rng.IntN(len(b))
	switch s.rng.IntN(4) {
	case 0:
		b[at] ^= 1 << s.rng.IntN(8)
	case 1:
		b = b[:at]
	case 2:
		b = slices.Insert(b, at, bytes.Clone(b[at:])...)
	case 3:
		b = slices.Delete(b, at, at+1)
	}
	return string(b)
}

// makeBody gives the request a body: an example with some of its values replaced, or bytes that
// are unlikely to be valid JSON.
func (s *sender) makeBody(q *raw) {
	example := pick(s.rng, q.op.body)
	if form, ok := example.(string); ok {
		form = strings.ReplaceAll(form, "{token}", s.fuzz.token)
		form = strings.ReplaceAll(form, "{junk}", fmt.Sprint(s.rng.Uint64()))
		if !q.plain {
			form = s.flip(form)
			for range s.rng.IntN(3) {
				form += "&" + pick(s.rng, []string{"name", "tags", "url", "type", "category", "x", "events", "token"}) + "=" + strings.NewReplacer("&", "%26", "\x00", "%00").Replace(s.nasty())
			}
		}
		q.body = []byte(form)
		return
	}
	value := s.fresh(example)
	if !q.plain {
		for range 1 + s.rng.IntN(3) {
			value = s.mutate(value, 0)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte("{}") // the value contains a number that JSON cannot represent
	}
	switch {
	case q.plain:
	case s.rng.IntN(12) == 0:
		text = []byte(s.flip(string(text)))
	case s.rng.IntN(40) == 0:
		text = []byte(strings.Repeat(pick(s.rng, []string{`[`, `{"a":`, `"`, ` `, `9`, `[[],`}), 1+s.rng.IntN(50_000)))
	case s.rng.IntN(40) == 0 && len(text) > 2:
		text = slices.Concat(text[:len(text)-1], []byte(`,"name":"twice","name":"thrice"}`))
	}
	q.body = text
}

// fresh copies an example and appends a number to its names, so that each created object is
// new.
func (s *sender) fresh(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m[k] = s.fresh(v[k])
			if text, ok := v[k].(string); ok && (k == "name" || k == "url") {
				m[k] = text + fmt.Sprint(s.rng.IntN(100))
			}
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = s.fresh(v[i])
		}
		return list
	}
	return v
}

// mutate replaces, adds or removes something in a JSON value.
func (s *sender) mutate(v any, depth int) any {
	r := s.rng
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return s.anything(depth)
		}
		key := pick(r, slices.Sorted(maps.Keys(v)))
		switch r.IntN(6) {
		case 0:
			delete(v, key)
		case 1:
			v[s.nasty()] = s.anything(depth)
		default:
			v[key] = s.mutate(v[key], depth+1)
		}
		return v
	case []any:
		if len(v) == 0 || r.IntN(4) == 0 {
			return append(v, s.anything(depth))
		}
		if r.IntN(10) == 0 {
			return slices.Repeat(v, 1+r.IntN(500))
		}
		v[r.IntN(len(v))] = s.mutate(v[r.IntN(len(v))], depth+1)
		return v
	case string:
		if r.IntN(3) == 0 {
			return s.flip(v)
		}
	}
	return s.anything(depth)
}

// anything returns an arbitrary value that can be encoded as JSON.
func (s *sender) anything(depth int) any {
	r := s.rng
	switch r.IntN(9) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return json.RawMessage(pick(r, []string{"0", "-1", "1e308", "123456789012345678901234567890", "1.5", "-0"}))
	case 3:
		return slices.Repeat([]any{s.nasty()}, r.IntN(200))
	case 4:
		if depth < 4 {
			return map[string]any{s.nasty(): s.anything(depth + 1)}
		}
	}
	return s.nasty()
}
