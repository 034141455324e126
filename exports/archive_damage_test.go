package exports_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports"
	"kindex/exports/history"
)

// TestHistoriesThatDoNotFit finalizes builds in which one of the history's files is truncated, altered, or comes
// from another build, and checks that none of them can be opened.
func TestHistoriesThatDoNotFit(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(16, 6))
	dir, m := smallBuild(t)
	other := suite.Must(exports.Open(build(t, commits(t, 2), t.TempDir())))(t)
	defer other.Close()
	refuses := func(what, path string, change func([]byte) []byte) {
		t.Helper()
		if !openWith(t, dir, m, path, change) {
			t.Errorf("%s was opened %s", path, what)
		}
	}
	for _, path := range []string{history.VersionsFile, history.ChangelogFile, history.TrendsFile, history.WeeksFile} {
		f, ok := m.File(path)
		if !ok {
			t.Fatalf("no %s", path)
		}
		for _, n := range []int{0, 7, int(f.Size) - 9, rng.IntN(int(f.Size) - 9)} {
			refuses("when it was truncated", path, func(b []byte) []byte { return b[:n] })
		}
	}
	for _, path := range []string{history.VersionsFile, history.ChangelogFile} {
		theirs := suite.Must(other.ReadFile(path))(t)
		refuses("with that of another build", path, func([]byte) []byte { return theirs })
	}
	for _, weeks := range []string{"null]", "[null]", `[{"end": "2026-01-05T00:00:00+00:00", "figures": [{}]}, {"end": "2026-01-05T00:00:00Z", "figures": [{}]}]`, `[{"end": "2026-01-05T00:00:00Z"}]`,
		`[{"end": "2026-01-05T01:00:00+01:00", "figures": [{}]}]`, `[{"end": "2026-01-05T00:00:00Z", "scores": [{"score": 101}]}]`} {
		refuses("with "+weeks, history.WeeksFile, func([]byte) []byte { return []byte(weeks) })
	}
	refuses("with an entity that does not exist", history.TrendsFile, func([]byte) []byte { return []byte(`[{"window": "7d", "list": [{"ordinal": 4000}]}]`) })
	for old, text := range map[string]string{
		`"previous":-1`:       `"previous":9999`,
		`"commit":0,`:         `"commit":4711,`,
		`"change":0,`:         `"change":1,`,
		`"time":17`:           `"time":99`,
		`"record":{`:          `"record":[],"x":{`,
		`,"time"`:             `,"deleted":true,"time"`,
		`"added":"2`:          `"added":"x2`,
		`"commits":`:          `"commits":-`,
		"}\n{\"type\":\"tool": "}\n{\"type\":5,\"x\":\"tool",
	} {
		refuses("with "+text, history.VersionsFile, func(b []byte) []byte { return replacedIn(t, b, old, text) })
	}
	refuses("with a wrong ID", history.ChangelogFile, func(b []byte) []byte { return replacedIn(t, b, `"id":"`, `"id":"x`) })
	refuses("without its last line ending", history.ChangelogFile, func(b []byte) []byte { return replacedIn(t, b, "", "") })
}

// replacedIn replaces the first occurrence of a text in a compressed file. If the text is "", it removes the last byte.
func replacedIn(t *testing.T, file []byte, old, text string) []byte {
	t.Helper()
	r := suite.Must(gzip.NewReader(bytes.NewReader(file)))(t)
	data := suite.Must(io.ReadAll(r))(t)
	if !strings.Contains(string(data), old) {
		t.Fatalf("there is no %s in it", old)
	}
	changed := strings.Replace(string(data), old, text, 1)
	if old == "" {
		changed = changed[:len(changed)-1]
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	suite.Must(io.WriteString(w, changed))(t)
	suite.Check(t, w.Close())
	return out.Bytes()
}
