package collect

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// journal stores the answers of one source as they arrive, one per line. A run after one that was
// killed, or stopped by a limit, uses them instead of asking again, and --offline reads nothing
// else. The last line for an identifier counts; an incomplete line is ignored.
type journal struct {
	path    string // "" keeps nothing on disk
	answers map[string]Answer
}

// openJournal reads a journal, and rewrites it if most of its lines are outdated.
func openJournal(path string) (*journal, error) {
	j := &journal{path: path, answers: map[string]Answer{}}
	if path == "" {
		return j, nil
	}
	data, err := os.ReadFile(path) //nolint:gosec // in the cache folder
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err != nil {
		return nil, err
	}
	lines, whole := 0, true
	r := bufio.NewReader(bytes.NewReader(data))
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			whole = whole && len(line) == 0
			break
		}
		lines++
		var a Answer
		if json.Unmarshal(line, &a) != nil || a.ID == "" || a.Day == "" || !a.whole() {
			whole = false
			continue
		}
		j.answers[a.ID] = a
	}
	if !whole || lines > 2*len(j.answers)+100 {
		return j, j.rewrite()
	}
	return j, nil
}

func (j *journal) rewrite() error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, id := range sortedKeys(j.answers) {
		if err := enc.Encode(j.answers[id]); err != nil {
			return err
		}
	}
	return replaceFile(j.path, b.Bytes(), 0o600)
}

// add keeps answers.
func (j *journal) add(list []Answer) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, a := range list {
		j.answers[a.ID] = a
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	if j.path == "" || len(list) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}
