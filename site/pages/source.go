package pages

import (
	"encoding/json"
	"fmt"
	"time"

	"kindex/exports"
	"kindex/exports/leaderboard"
	"kindex/exports/score"
)

// SourceOf reads from a build what its pages need, but for the search index.
func SourceOf(b *exports.Build) (Source, error) {
	s := Source{Build: b}
	data, _, _ := b.File(exports.ScoringFile)
	var err error
	if s.Formula, err = score.ParseChecked(data); err != nil {
		return s, err
	}
	if s.AsOf, err = time.Parse(time.RFC3339, b.Manifest.AsOf); err != nil {
		return s, err
	}
	data, _, _ = b.File(exports.CategoriesFile)
	if err := json.Unmarshal(data, &s.Categories); err != nil {
		return s, fmt.Errorf("%s: %w", exports.CategoriesFile, err)
	}
	s.Boards = leaderboard.New(b, s.AsOf)
	return s, nil
}
