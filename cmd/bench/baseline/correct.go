package baseline

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/blevesearch/vellum"
	"github.com/blevesearch/vellum/levenshtein"
)

// spellCorrector finds the words in a vocabulary that are similar to a misspelled word.
// It walks a transducer of all words with a Levenshtein automaton, and so visits only
// similar words.
type spellCorrector struct {
	words  *vellum.FST
	within [3]*levenshtein.LevenshteinAutomatonBuilder // by edits
}

// newSpellCorrector reads the vocabulary of the full-text table.
func newSpellCorrector(db *sql.DB) (*spellCorrector, error) {
	rows, err := db.Query("SELECT term FROM vocabulary ORDER BY term")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var fst bytes.Buffer
	b, err := vellum.New(&fst, nil)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var term []byte
		if err := rows.Scan(&term); err != nil {
			return nil, err
		}
		if err := b.Insert(term, 0); err != nil {
			return nil, fmt.Errorf("vocabulary at %q: %w", term, err)
		}
	}
	if err := errors.Join(rows.Err(), b.Close()); err != nil {
		return nil, err
	}
	c := &spellCorrector{}
	if c.words, err = vellum.Load(fst.Bytes()); err != nil {
		return nil, err
	}
	for edits := 1; edits <= 2; edits++ {
		if c.within[edits], err = levenshtein.NewLevenshteinAutomatonBuilder(uint8(edits), true); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// near returns the words within one edit, or within two edits for words of at least eight
// letters; kindex uses the same limits. Transposing two adjacent letters counts as one
// edit.
func (c *spellCorrector) near(word string) ([]string, error) {
	edits := 1
	if utf8.RuneCountInString(word) >= 8 {
		edits = 2
	}
	dfa, err := c.within[edits].BuildDfa(word, uint8(edits))
	if err != nil {
		return nil, err
	}
	var near []string
	it, err := c.words.Search(dfa, nil, nil)
	for err == nil {
		term, _ := it.Current()
		near = append(near, string(term))
		err = it.Next()
	}
	if !errors.Is(err, vellum.ErrIteratorDone) {
		return nil, err
	}
	return near, nil
}
