// Package audit reports what an index knows about the packages and models that a project
// uses: which are retired, unmaintained, or under a licence that the project rules out.
package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"kindex/builder/audit/manifest"
	"kindex/exports"
	"kindex/exports/jsonenc"
	finding "kindex/exports/resolve"
)

// Limits for what an index resolves at once: the number of identifiers, and their length in
// bytes, which leaves room for escapes in a body of 256 KiB.
const (
	batchSize   = 1000
	batchLength = 100 << 10
)

// Index resolves identifiers. Its answer is the body of POST /api/resolve.
type Index interface {
	Resolve(ctx context.Context, ids []string) ([]byte, error)
}

// Local is an index in a build.
type Local struct{ Build *exports.Build }

// Resolve implements Index.
func (l Local) Resolve(_ context.Context, ids []string) ([]byte, error) {
	body := []byte(`{"data":[`)
	for i, id := range ids {
		if i > 0 {
			body = append(body, ',')
		}
		body = finding.Find(l.Build, id).AppendJSON(body, l.Build, true)
	}
	return append(body, ']', '}'), nil
}

// Resolution is what an identifier refers to.
type Resolution struct {
	ID          string       `json:"id"`
	Match       string       `json:"match"` // exact, weaker, or "" without matches
	Dropped     []string     `json:"dropped"`
	Matches     []Match      `json:"matches"`
	Suggestions []Suggestion `json:"suggestions"`
}

type text = jsonenc.OptionalString

// Match is an entity of the index. Unknown values are "", and null in JSON.
type Match struct {
	Type            string     `json:"type"`
	Slug            string     `json:"slug"`
	Name            string     `json:"name"`
	Status          string     `json:"status"`
	Maintenance     text       `json:"maintenance"`
	MaintenanceAsOf text       `json:"maintenanceAsOf"`
	License         text       `json:"license"`
	Version         text       `json:"version"`
	VersionDate     text       `json:"versionDate"`
	LastUpdated     text       `json:"lastUpdated"`
	Lifecycle       *Lifecycle `json:"lifecycle"`
}

// Key returns the address of the entity.
func (m *Match) Key() string { return m.Type + "/" + m.Slug }

// lifecycle returns the announced end of the entity, if there is one.
func (m *Match) lifecycle() Lifecycle {
	if m.Lifecycle == nil {
		return Lifecycle{}
	}
	return *m.Lifecycle
}

// Lifecycle is the announced end of an entity. Unknown values are "", and null in JSON.
type Lifecycle struct {
	Deprecated text `json:"deprecated"`
	Retires    text `json:"retires"`
	ReplacedBy text `json:"replacedBy"`
	Source     text `json:"source"`
}

// Suggestion is an entity that an unknown identifier may mean.
type Suggestion struct {
	Type string `json:"type"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Finding is an entity that a file uses.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0 if unknown
	ID   string `json:"id"`
	Used string `json:"used"` // the version or range, "" if the file states none
	// Match is weaker if the entity was found only without the parts of the name in Dropped,
	// or in another spelling; otherwise exact.
	Match   string   `json:"match"`
	Dropped []string `json:"dropped"`
	Entity  Match    `json:"entity"`
	Issues  []Issue  `json:"issues"`
	Verdict Verdict  `json:"verdict"`
}

// Unknown is a package that is not in the index.
type Unknown struct {
	File        string       `json:"file"`
	Line        int          `json:"line"`
	ID          string       `json:"id"`
	Used        string       `json:"used"`
	Note        string       `json:"note"` // why it was not looked up, or ""
	Suggestions []Suggestion `json:"suggestions"`
}

// Report is the result of an audit. Each entry of a file is in Findings or in Missing, and each part
// that cannot be read is in Unread.
type Report struct {
	AsOf       string                `json:"asOf"`
	Files      int                   `json:"files"`
	Entries    int                   `json:"entries"`
	Known      int                   `json:"known"`
	Unknown    int                   `json:"unknown"`
	Unreadable int                   `json:"unreadable"`
	Issues     map[string]int        `json:"issues"` // entries by rule
	Failed     int                   `json:"failed"` // entries with an issue that fails the audit
	Findings   []Finding             `json:"findings"`
	Missing    []Unknown             `json:"missing"`
	Unread     []manifest.Unreadable `json:"unread"`
}

// Run reads files and folders and looks up what they use. The files are in the order of the findings. in
// is what the name - stands for.
func Run(ctx context.Context, index Index, files []string, in io.Reader, policy *Policy) (*Report, error) {
	reader := manifest.Reader{Stdin: in}
	reader.Read(files...)
	entries := reader.Entries
	resolved, err := resolveAll(ctx, index, entries)
	if err != nil {
		return nil, err
	}
	r := &Report{AsOf: policy.AsOf, Files: reader.Files, Entries: len(entries), Unreadable: len(reader.Unreadable), Issues: map[string]int{},
		Findings: []Finding{}, Missing: []Unknown{}, Unread: append([]manifest.Unreadable{}, reader.Unreadable...)}
	for i := range entries {
		r.add(&entries[i], resolved, policy)
	}
	return r, nil
}

// resolutions are what identifiers refer to.
type resolutions map[string]*Resolution

func (r *Resolution) known() bool { return r != nil && len(r.Matches) > 0 }

// first returns the first identifier of an entry that the index knows, or else its first one.
func (all resolutions) first(e *manifest.Entry) (id string, found *Resolution) {
	for _, id := range e.IDs {
		if all[id].known() {
			return id, all[id]
		}
	}
	id = append(e.IDs, "")[0]
	return id, all[id]
}

// resolveAll resolves the first identifier of each entry, and the others only where the index does not know it.
func resolveAll(ctx context.Context, index Index, entries []manifest.Entry) (resolutions, error) {
	all := resolutions{}
	for _, most := range []int{1, math.MaxInt} {
		var list []string
		for i := range entries {
			ids := entries[i].IDs
			if _, found := all.first(&entries[i]); found.known() {
				continue
			}
			for _, id := range ids[:min(len(ids), most)] {
				if _, seen := all[id]; !seen && acceptable(id) {
					all[id] = nil
					list = append(list, id)
				}
			}
		}
		for len(list) > 0 {
			n := batch(list)
			if err := all.ask(ctx, index, list[:n]); err != nil {
				return nil, err
			}
			list = list[n:]
		}
	}
	return all, nil
}

func (all resolutions) ask(ctx context.Context, index Index, list []string) error {
	body, err := index.Resolve(ctx, list)
	if err != nil {
		return err
	}
	var answer struct{ Data []Resolution }
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Data) != len(list) {
		return fmt.Errorf("the index did not return an answer for each of %d identifiers", len(list))
	}
	for i := range answer.Data {
		all[list[i]] = &answer.Data[i]
	}
	return nil
}

// batch returns how many of the first identifiers can be resolved at once.
func batch(list []string) (n int) {
	for length := 0; n < min(batchSize, len(list)); n++ {
		if length += len(list[n]); n > 0 && length > batchLength {
			break
		}
	}
	return n
}

func acceptable(id string) bool {
	return strings.TrimSpace(id) != "" && len(id) <= finding.MaxLen && !strings.ContainsAny(id, "\x00\uFFFD") && strings.ToValidUTF8(id, "") == id
}

// add adds what is known about an entry, by the first of its identifiers that the index knows.
func (r *Report) add(e *manifest.Entry, resolved resolutions, policy *Policy) {
	id, found := resolved.first(e)
	if !found.known() {
		u := Unknown{File: e.File, Line: e.Line, ID: cmp.Or(id, e.Name), Used: e.Version, Note: e.Note, Suggestions: []Suggestion{}}
		if found != nil && found.Suggestions != nil {
			u.Suggestions = found.Suggestions
		}
		r.Missing = append(r.Missing, u)
		r.Unknown++
		return
	}
	r.Known++
	failed, rules := false, map[string]bool{}
	for _, m := range found.Matches {
		f := Finding{File: e.File, Line: e.Line, ID: id, Used: e.Version, Match: cmp.Or(found.Match, "exact"), Dropped: found.Dropped, Entity: m}
		f.Issues, f.Verdict = policy.check(&m)
		for _, issue := range f.Issues {
			rules[issue.Rule] = true
		}
		failed = failed || f.Verdict == Fail
		r.Findings = append(r.Findings, f)
	}
	for rule := range rules {
		r.Issues[rule]++
	}
	if failed {
		r.Failed++
	}
}
