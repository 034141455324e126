package pages

import (
	"html/template"
	"slices"
	"strconv"

	"kindex/exports/leaderboard"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/chart"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// boardRow is a row of a leaderboard.
type boardRow struct {
	row
	To    string // path of the entity's page, or "" if it no longer has one
	Moved boardDelta
	Cells template.HTML // the scores
}

// row reads a row of the board.
func (b *boardView) row(ordinal uint32, rank int, moved leaderboard.Movement) (s boardRow) {
	e := b.from.Entity(ordinal)
	s = boardRow{row: row{Entity: e, Rank: rank}, To: siteurl.Entity(e.Type, e.Slug), Moved: deltaOf(moved)}
	if b.Day != "" {
		s.To = b.currentPath(b.from, ordinal)
	}
	s.Cells = scoreCells(&e.Scores, b.columns(), b.By)
	return s
}

// columns returns the names of the scores that the leaderboard shows. Scores on an
// earlier day may come from a different formula.
func (b *boardView) columns() []string {
	types := b.types()
	if b.Type != "" {
		types = []string{b.Type}
	}
	names := b.scores(types...)
	if b.Day != "" || !slices.Contains(names, b.By) {
		return record.ScoreNames
	}
	return names
}

// scoreCells renders the score cells of a row. A template would take longer to render these
// than the rest of the page.
func scoreCells(scores *record.Scores, names []string, by string) template.HTML {
	b := make([]byte, 0, 1<<10)
	for _, name := range names {
		b = append(b, `<td class="b-score num`...)
		if name != by {
			b = append(b, ` lesser`...)
		}
		b = append(append(append(b, `" data-score="`...), name...), `" data-value="`...)
		score := scores.Get(name)
		if score.Known() {
			b = strconv.AppendInt(b, int64(score.Tenths()), 10)
			b = score.AppendJSON(append(b, `">`...))
		} else {
			b = append(b, `-1"><span aria-hidden="true">–</span><span class="unseen">unknown</span>`...)
		}
		if name == "composite" {
			b = append(b, chart.Bar(score)...)
		}
		b = append(b, "</td>\n"...)
	}
	return template.HTML(b) //nolint:gosec // only numbers and constants
}

// currentPath returns the path of the current version of a past day's entity, or "" if the entity was
// deleted.
func (b *boardView) currentPath(past *view.View, ordinal uint32) string {
	a := b.Build.History()
	typ, slug := past.Key(ordinal)
	v, _ := a.At(typ, slug, past.Day)
	now := a.Version(a.Newest(v))
	if now.Deleted {
		return ""
	}
	if _, earlier, ok := b.Build.Find(now.Type, now.Slug); !ok || earlier {
		return ""
	}
	return siteurl.Entity(now.Type, now.Slug)
}

// boardDelta is the movement of an entity in a ranking.
type boardDelta struct {
	Class string // up, down, new or same
	Sign  string
	Words string // for screen readers
}

func deltaOf(moved leaderboard.Movement) boardDelta {
	switch n := moved.By; {
	case !moved.Known:
		return boardDelta{"new", "new", "new"}
	case n > 0:
		return boardDelta{"up", "▲" + textfmt.Count(n), "up " + strconv.Itoa(n)}
	case n < 0:
		return boardDelta{"down", "▼" + textfmt.Count(-n), "down " + strconv.Itoa(-n)}
	}
	return boardDelta{"same", "=", "unchanged"}
}
