package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/schema"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/quality"
	"kindex/exports/record"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// write changes the entity files. Each is replaced as a whole, so that a run can be killed at
// any time; a file that cannot be changed is listed in the report.
func (r *run) write(ctx context.Context, verdicts []verdict) error {
	byEntity := map[string][]verdict{}
	for _, v := range verdicts {
		byEntity[v.entity.Key()] = append(byEntity[v.entity.Key()], v)
	}
	folder, err := content.OpenWorkspace(r.Content)
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(byEntity) {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; the files changed so far are complete: run the same command to continue: %w", errInterrupted)
		}
		e := byEntity[key][0].entity
		changed, err := r.writeEntity(folder, e, byEntity[key])
		if refused := new(refusedError); errors.As(err, &refused) {
			r.report.Refused = append(r.report.Refused, Problem{Entity: key, Reason: refused.Error()})
			continue
		}
		if err != nil {
			return err
		}
		if changed {
			r.report.Files++
		}
	}
	return nil
}

// fieldsOf returns the fields of an entity that change, except its offers.
func (r *run) fieldsOf(list []verdict) map[string]any {
	fields := map[string]any{}
	member := func(section, name string, v any) {
		inner, _ := fields[section].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			fields[section] = inner
		}
		inner[name] = v
	}
	for _, v := range list {
		section, name, inside := strings.Cut(v.value.Name, ".")
		switch {
		case v.offers != nil || v.results != nil:
		case v.moved != "":
			follow(v, member)
		case r.isSignal(v.value.Name):
			member("signals", v.value.Name, map[string]any{"value": r.plain(v.value), "date": v.day, "source": v.value.Source})
		case inside:
			member(section, name, v.value.Text)
			member(section, "source", v.value.Source)
		default:
			fields[v.value.Name] = v.value.Text
		}
	}
	return fields
}

// follow changes the identifier of something that moved, in ids or in the link that it follows
// from.
func follow(v verdict, member func(section, name string, v any)) {
	for _, id := range record.LinkedIDs(v.entity.Links) {
		if id.Namespace == v.source && id.Value == v.old && v.source == "github" {
			member("links", "repository", "https://github.com/"+v.moved)
			return
		}
	}
	list := v.entity.IDsIn(v.source)
	if len(list) < 2 {
		member("ids", v.source, v.moved)
		return
	}
	for i, id := range list {
		if id == v.old {
			list[i] = v.moved
		}
	}
	member("ids", v.source, list)
}

// refusedError is the reason a file cannot be changed.
type refusedError struct{ message string }

func (e *refusedError) Error() string { return e.message }

func (r *run) writeEntity(folder *content.Workspace, e *record.Entity, verdicts []verdict) (changed bool, err error) {
	path, shown := folder.Path(e.Type, e.Slug), folder.Shown(e.Type, e.Slug)
	data, err := os.ReadFile(path) //nolint:gosec // content.Load has read it as an entity
	if err != nil {
		return false, err
	}
	fields := r.fieldsOf(verdicts)
	var edits []offerEdit
	for _, v := range verdicts {
		edits = append(edits, v.offers...)
	}
	for _, v := range verdicts {
		if v.results != nil {
			addResults(shown, data, v.results, fields)
		}
	}
	if len(edits) > 0 {
		maps.Copy(fields, offerFields(shown, data, edits))
		if err := r.keepNames(e, edits, fields); err != nil {
			return false, err
		}
	}
	merged, err := yamlfmt.Merge(r.content.Kinds, shown, data, fields)
	if err != nil {
		return false, &refusedError{err.Error()}
	}
	if string(merged) == string(data) {
		return false, nil
	}
	problems := folder.CheckFile(e.Type, e.Slug, merged)
	if n, _ := problems.Count(); n > 0 {
		return false, &refusedError{cmp.Or(problems[0].Message, "the changed file would not be valid")}
	}
	if r.DryRun {
		return true, nil
	}
	return true, content.WriteEntity(r.Content, e.Type, e.Slug, merged, true)
}

// ReadStatus reads the status file of a content folder. A missing file is an empty status.
func ReadStatus(dir string) (quality.Status, error) {
	s := quality.Status{Sources: map[string]quality.SourceStatus{}, Stopped: []quality.Stopped{}}
	data, err := os.ReadFile(filepath.Join(dir, schema.StatusFile)) //nolint:gosec // the operator names the folder
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		s, err = quality.ParseStatus(data)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", filepath.ToSlash(filepath.Join(dir, schema.StatusFile)), err)
	}
	if s.Sources == nil {
		s.Sources = map[string]quality.SourceStatus{}
	}
	return s, nil
}

// writeStatus updates the status file, for the sources and entities of this run. A file that nobody
// could read again is not written, and the report says so.
func (r *run) writeStatus() error {
	if r.DryRun {
		return nil
	}
	status, err := ReadStatus(r.Content)
	if err != nil {
		return err
	}
	whole := len(r.entities) == len(r.content.Entities)
	ran, selected, unanswered := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range r.entities {
		selected[e.Key()] = true
	}
	for _, a := range r.asks {
		ran[a.info.Name] = true
		a.addUnanswered(unanswered)
		if len(a.used) > 0 && whole {
			status.Sources[a.info.Name] = a.status(r)
		}
	}
	status.Stopped = slices.DeleteFunc(status.Stopped, func(s quality.Stopped) bool {
		return ran[s.Source] && (selected[s.Entity] || whole) && !unanswered[stoppedKey(s)]
	})
	status.Stopped = append(status.Stopped, r.report.Stopped...)
	slices.SortStableFunc(status.Stopped, func(a, b quality.Stopped) int {
		return cmp.Or(strings.Compare(a.Entity, b.Entity), strings.Compare(a.Name, b.Name), strings.Compare(a.Source, b.Source))
	})
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
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data)+"\n" { //nolint:gosec // as above
		return nil
	}
	return replaceFile(path, append(data, '\n'), 0o644)
}

// addUnanswered adds the keys of the entities and offers that the source covers but has not answered
// for in this run, because their figures are recent or because a request failed. Values of these
// that a guard stopped remain stopped.
func (a *asking) addUnanswered(keys map[string]bool) {
	for _, t := range a.targets {
		if _, ok := a.used[t.id]; !ok {
			keys[a.info.Name+"\x00"+t.entity.Key()] = true
		}
	}
	for _, t := range a.offers {
		if _, ok := a.used[t.id]; !ok {
			keys[a.info.Name+"\x00"+t.entity.Key()+"\x00"+offerName(t.offer)] = true
		}
	}
}

// stoppedKey returns the key of the entity or offer that a stopped value belongs to, in the format
// of addUnanswered.
func stoppedKey(s quality.Stopped) string {
	key := s.Source + "\x00" + s.Entity
	if rest, ok := strings.CutPrefix(s.Name, OffersColumn+"."); ok {
		offer, _, _ := strings.Cut(rest, ".") // dots in an offer's key are encoded
		key += "\x00" + OffersColumn + "." + offer
	}
	return key
}

// status returns the status of the source. An entity that is not asked for because its figures are
// recent counts as answered.
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
