package exports

import (
	"errors"

	"kindex/exports/jsonenc"
	"kindex/exports/packed"
	"kindex/exports/record"
)

// appendSummary appends what users of an entity need to know about it, as an object. Each
// version and state has its date; versionDate is the day of the latest release.
func appendSummary(dst []byte, e *record.Entity) []byte {
	release, _ := e.Signals.Fact("lastRelease")
	if e.Version == "" {
		release.Day = ""
	}
	dst = jsonenc.AppendString(append(dst, `{"type":`...), e.Type)
	for _, f := range [...]struct{ name, value string }{
		{"slug", e.Slug}, {"name", e.Name}, {"status", e.Status},
		{"maintenance", e.Maintenance.State}, {"maintenanceAsOf", e.Maintenance.AsOf}, {"license", e.License},
		{"version", e.Version}, {"versionDate", release.Day}, {"lastUpdated", e.LastUpdated},
	} {
		dst = jsonenc.AppendMember(dst, f.name)
		dst = jsonenc.AppendNullable(dst, f.value)
	}
	return append(e.Lifecycle.AppendJSON(jsonenc.AppendMember(dst, "lifecycle")), '}')
}

// writeSummaries writes the summaries of all entities, in the order of their ordinals.
// Extracting them from the records would take most of the time of a batch.
func (w *Writer) writeSummaries(entities []*record.Entity) error {
	var table packed.StringBuilder
	var buf []byte
	for _, e := range entities {
		buf = appendSummary(buf[:0], e)
		table.Add(buf)
	}
	f, err := w.Create(summariesFile)
	if err != nil {
		return err
	}
	_, err = table.WriteTo(f)
	return errors.Join(err, f.Close())
}

// Summary returns what users of a record's entity need to know about it, as a JSON object,
// or nil if the build has no summaries.
func (b *Build) Summary(ordinal uint32) []byte {
	if e := b.edited(ordinal); e != nil {
		return appendSummary(nil, e)
	}
	if int(ordinal) >= b.ids.summaries.Len() {
		return nil
	}
	return b.ids.summaries.At(int(ordinal))
}
