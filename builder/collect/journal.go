package collect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"kindex/exports/store"
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
	lines := 0
	for line := range bytes.Lines(data) {
		var a Answer
		if json.Unmarshal(line, &a) == nil && a.ID != "" && a.Day != "" {
			j.answers[a.ID] = a
		}
		lines++
	}
	if lines > 2*len(j.answers)+100 || !bytes.HasSuffix(data, []byte("\n")) {
		return j, j.rewrite()
	}
	return j, nil
}

func (j *journal) rewrite() error {
	var list []Answer
	for _, id := range sortedKeys(j.answers) {
		list = append(list, j.answers[id])
	}
	data, err := linesOf(list)
	return errors.Join(err, store.WriteFile(j.path, data))
}

func linesOf(list []Answer) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, a := range list {
		if err := enc.Encode(a); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// add keeps answers.
func (j *journal) add(list []Answer) error {
	for _, a := range list {
		j.answers[a.ID] = a
	}
	data, err := linesOf(list)
	if err != nil || j.path == "" || len(list) == 0 {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
