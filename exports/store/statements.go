package store

import "errors"

// A signed statement proves who published a build to anyone who has the publisher's key. If this machine
// has no key, it has not verified the statement. The package sign documents it. Statements are stored next
// to the builds, not in them, because the bytes of a build depend only on the content.
var statementsFolder = []string{"exports", "statements"}

// maxStatementLen is the maximum size of a signed statement in bytes.
const maxStatementLen = 16 << 10

// WriteStatement writes the signed statement about a build in an output folder.
func WriteStatement(root, id string, signed []byte) error {
	dir, err := MakeFolder(root, statementsFolder...)
	if err != nil {
		return err
	}
	defer dir.Close()
	return errors.Join(ReplaceFile(dir, id, signed), SyncDir(dir.Name()))
}

// ReadStatement reads the signed statement about a build. It returns fs.ErrNotExist if there is
// none.
func ReadStatement(root, id string) ([]byte, error) {
	dir, err := OpenFolder(root, statementsFolder...)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return readLimited(dir, id, maxStatementLen)
}
