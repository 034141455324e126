package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/quality"
	"kindex/exports/record"
	"kindex/exports/store"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// write changes the entity files. Each is replaced as a whole, so that a run can be killed at any time.
func (r *run) write(ctx context.Context) error {
	folder, err := content.OpenWorkspace(r.Content)
	if err != nil {
		return err
	}
	for _, e := range r.entities {
		if ctx.Err() != nil {
			return errors.New("interrupted; the files changed so far are complete: run the same command to continue")
		}
		if len(r.edits[e]) == 0 {
			continue
		}
		refused, err := r.writeEntity(folder, e)
		if err != nil {
			return err
		}
		if refused != "" {
			r.report.Refused = append(r.report.Refused, Problem{Entity: e.Key(), Reason: refused})
		}
	}
	return nil
}

// writeEntity changes a file, or returns why it cannot be changed.
func (r *run) writeEntity(folder *content.Workspace, e *record.Entity) (refused string, err error) {
	shown := folder.Shown(e.Type, e.Slug)
	data, err := os.ReadFile(folder.Path(e.Type, e.Slug))
	if err != nil {
		return "", err
	}
	file, _ := yamldoc.Parse(shown, data).Fields() // as above
	fields := map[string]any{}
	for _, change := range r.edits[e] {
		change(file, fields)
	}
	merged, err := yamlfmt.Merge(r.content.Kinds, shown, data, fields)
	if err != nil {
		return err.Error(), nil //nolint:nilerr // that is why the file stays as it is
	}
	if string(merged) == string(data) {
		return "", nil
	}
	_, problems := folder.CheckFile(e.Type, e.Slug, merged)
	if n, _ := problems.Count(); n > 0 {
		return cmp.Or(problems[0].Message, "the changed file would not be valid"), nil
	}
	r.report.Files++
	if r.DryRun {
		return "", nil
	}
	return "", content.WriteEntity(r.Content, e.Type, e.Slug, merged)
}

func member(fields map[string]any, section, name string, v any) {
	inner, _ := fields[section].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		fields[section] = inner
	}
	inner[name] = v
}

func (r *run) set(fields map[string]any, v Value, day string) {
	section, name, inside := strings.Cut(v.Name, ".")
	switch {
	case r.isSignal(v.Name):
		member(fields, "signals", v.Name, map[string]any{"value": r.plain(v), "date": day, "source": v.Source})
	case inside:
		member(fields, section, name, v.Text)
		member(fields, section, "source", v.Source)
	default:
		fields[v.Name] = v.Text
	}
}

// follow changes the identifier of something that moved, in ids or in the link that it follows from.
func follow(e *record.Entity, namespace, old, moved string, fields map[string]any) {
	for _, id := range record.LinkedIDs(e.Links) {
		if id.Namespace == namespace && id.Value == old && namespace == "github" {
			member(fields, "links", "repository", "https://github.com/"+moved)
			return
		}
	}
	list := e.IDsIn(namespace)
	for i, id := range list {
		if id == old {
			list[i] = moved
		}
	}
	setIDs(fields, namespace, list)
}

// writeStatus updates the status file, for the sources and entities of this run. A file that nobody
// could read again is not written, and the report says so.
func (r *run) writeStatus() error {
	if r.DryRun {
		return nil
	}
	status := r.content.Status
	status.Sources, status.Stopped = maps.Clone(status.Sources), append([]quality.Stopped{}, status.Stopped...) // not null
	if status.Sources == nil {
		status.Sources = map[string]quality.SourceStatus{}
	}
	whole := len(r.entities) == len(r.content.Entities)
	ran := map[string]*asking{}
	for _, a := range r.asks {
		if a.Problem == nil || !a.isList() { // of a list that cannot be read, nobody knows what it covers
			ran[a.Name] = a
		}
		if a.report.Answered+a.report.Kept > 0 && whole {
			status.Sources[a.Name] = a.status(r)
		}
	}
	status.Stopped = slices.DeleteFunc(status.Stopped, func(s quality.Stopped) bool {
		a := ran[s.Source]
		selected := whole || slices.ContainsFunc(r.entities, func(e *record.Entity) bool { return e.Key() == s.Entity })
		return a != nil && selected && !a.unanswered(s)
	})
	status.Stopped = append(status.Stopped, r.report.Stopped...)
	sortBy(status.Stopped, func(s quality.Stopped) string { return s.Entity + "\x00" + s.Name + "\x00" + s.Source })
	data, err := json.MarshalIndent(status, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= quality.MaxStatusFile {
		r.report.Refused = append(r.report.Refused, Problem{Entity: schema.StatusFile, Reason: fmt.Sprintf(
			"%d stopped values do not fit into %d bytes; the file was left unchanged", len(status.Stopped), quality.MaxStatusFile)})
		return nil
	}
	path := filepath.Join(r.Content, schema.StatusFile)
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data)+"\n" {
		return nil
	}
	return store.WriteFile(path, append(data, '\n'))
}

// unanswered reports whether a stopped value remains so, because its source covers it but was not asked or failed.
func (a *asking) unanswered(s quality.Stopped) bool {
	ofOffer := strings.HasPrefix(s.Name, OffersColumn+".")
	for _, t := range slices.Concat(a.offers, a.targets) {
		if t.entity.Key() == s.Entity && ofOffer == (t.offer != nil) && (!ofOffer || strings.HasPrefix(s.Name+".", t.id+".")) { // dots in an offer's key are encoded
			_, answered := a.used[t.id]
			return !answered
		}
	}
	return false
}

// status returns the status of the source. Entities that are not asked for because they are recent count as answered.
func (a *asking) status(r *run) quality.SourceStatus {
	s := quality.SourceStatus{Covers: len(a.targets), Values: []string{}, LastFail: a.report.Error}
	for _, t := range a.targets {
		answer, ok := a.used[t.id]
		if ok || a.fresh(t, r) {
			s.Answers++
		}
		s.Read = max(s.Read, answer.Day)
	}
	for _, t := range a.offers {
		s.Read = max(s.Read, a.used[t.id].Day)
	}
	for _, col := range a.columns {
		s.Values = append(s.Values, col.Name)
	}
	return s
}
