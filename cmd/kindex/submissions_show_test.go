package main

import (
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/submission"
)

// TestShowOfDeclaredKind: a submission of a kind and a field that only its index declares is shown
// without errors, and with its warnings.
func TestShowOfDeclaredKind(t *testing.T) {
	target := filepath.Join(t.TempDir(), "kindex.db")
	s := suite.Must(storage.Open(t.Context(), target, storage.Options{}))(t)
	id := storage.NewID("sub_")
	suite.Check(t, s.Write(t.Context(), func(tx *storage.Tx) error {
		a, err := tx.EnsureAccount("ada")
		if err == nil {
			_, err = tx.CreateSubmission(submission.Submission{ID: id, AccountID: a.ID, Type: "glaze", Slug: "celadon", Name: "Celadon",
				YAML: "name: Celadon\ncategory: green\ndescription: Green.\nlicense: Public\nsurface: matte\n"})
		}
		return err
	}))
	suite.Check(t, s.Close())
	shown := runHere(t, "submissions", "show", id, "--state", target)
	if shown.code != 0 || !strings.Contains(shown.out, "\nsurface: matte\n") || strings.Contains(shown.out, "error: ") || !strings.Contains(shown.out, "warning: license: ") {
		t.Errorf("%d\n%s", shown.code, shown.out)
	}
}
