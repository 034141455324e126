package content

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // git's name of the file
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kindex/builder/content/schema"
	"kindex/builder/content/yamldoc"
	"kindex/exports/kinds"
)

// KindsFile is the name of the file that declares the kinds of an index.
const KindsFile = "kinds.yaml"

// ParseKinds reads a kinds.yaml. The set is nil if one of the problems is an error. path is used only in
// messages.
func ParseKinds(path string, data []byte) (*kinds.Set, yamldoc.Problems) {
	d, fields := parse(path, data, schema.Of(kinds.Default(), "kinds"))
	if fields == nil || d.Problems.HasErrors() {
		return nil, d.Report()
	}
	set, err := kinds.Parse(data)
	mistakes := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		mistakes = all.Unwrap()
	}
	for _, wrong := range mistakes {
		if e, ok := errors.AsType[*kinds.Error](wrong); ok {
			d.AddAt(e.Path, e.Key, yamldoc.Problem{Message: e.Message, Suggestion: e.Suggestion})
		} else if wrong != nil {
			d.Add(1, 1, yamldoc.Problem{Message: wrong.Error()})
		}
	}
	if set != nil {
		warnOfUnused(d, set)
	}
	return set, d.Report()
}

// warnOfUnused adds a warning about each field and signal that no kind lists.
func warnOfUnused(d *yamldoc.Document, set *kinds.Set) {
	const unused = "no kind lists it; add it to the kinds that have it, or remove it"
	for _, f := range set.Fields {
		if len(set.Listing(f)) == 0 {
			d.AddAt([]string{"fields", f.Name}, true, yamldoc.Problem{Severity: yamldoc.Warning, Message: unused})
		}
	}
	for _, s := range set.Signals {
		if !slices.ContainsFunc(set.Kinds, func(k *kinds.Kind) bool { return k.HasSignal(s.Name) }) {
			d.AddAt([]string{"signals", s.Name}, true, yamldoc.Problem{Severity: yamldoc.Warning, Message: unused})
		}
	}
}

// declaration is the state of kinds.yaml when it was last read.
type declaration struct {
	set      *kinds.Set // of the last version without errors; until there is one, kinds.Default
	blob     [sha1.Size]byte
	problems yamldoc.Problems
}

// ReadKinds returns the kinds that a content folder declares, which may be missing or empty.
func ReadKinds(dir string) (*kinds.Set, error) {
	f := Open(dir)
	if err := f.readKinds(); err != nil {
		return nil, err
	}
	if f.declared.problems.HasErrors() {
		return nil, f.declared.problems
	}
	return f.declared.set, nil
}

// readKinds reads kinds.yaml, and forgets all files if it has changed: they must be read again.
func (f *Folder) readKinds() error {
	path := filepath.Join(f.dir, KindsFile)
	now := declaration{set: kinds.Default()}
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil // reported as misplaced
	}
	var data []byte
	if err == nil {
		data, err = readFile(path, yamldoc.MaxFileSize)
		now.blob = gitBlobName(data)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if now.blob == f.declared.blob {
		return nil
	}
	if err == nil {
		now.set, now.problems = ParseKinds(shownPath(f.dir, KindsFile), data)
		now.set = cmp.Or(now.set, f.declared.set)
	}
	f.declared, f.files = now, map[string]*file{}
	return nil
}
