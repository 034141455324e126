package scaffold

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// TestMoveAllBack checks that files that were added to the target folder at the last
// moment stay unchanged, and that moveAll leaves nothing else there.
func TestMoveAllBack(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"a/x", "b", "c"} {
		suite.Check(t, writeFile(filepath.Join(from, name), []byte("new")))
	}
	suite.Check(t, writeFile(filepath.Join(to, "b"), []byte("theirs")))
	if err := moveAll(from, to); err == nil || !strings.HasPrefix(err.Error(), "b was created in ") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(from, "a", "x")); err != nil {
		t.Error(err)
	}
	left := suite.Must(os.ReadDir(to))(t)
	if data, err := os.ReadFile(filepath.Join(to, "b")); err != nil || string(data) != "theirs" || len(left) != 1 {
		t.Errorf("%v %q %v", err, data, left)
	}
}
