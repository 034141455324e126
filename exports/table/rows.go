package table

import (
	"slices"
	"time"

	"kindex/exports/record"
)

// EntityColumns lists the fields of an exported entity in the order that all
// formats use.
var EntityColumns = []Column{
	{"slug", Text}, {"type", Text}, {"name", Text}, {"provider", Text}, {"description", Text},
	{"category", Text}, {"version", Text}, {"pricingModel", Text}, {"license", Text}, {"url", Text},
	{"tags", List}, {"capabilities", List},
	{"composite", Decimal}, {"adoption", Decimal}, {"quality", Decimal}, {"freshness", Decimal},
	{"citations", Decimal}, {"engagement", Decimal},
	{"addedDate", Date}, {"lastUpdated", Date},
}

// LeaderboardColumns lists the fields of an exported leaderboard.
var LeaderboardColumns = []Column{
	{"rank", Integer}, {"type", Text}, {"slug", Text}, {"name", Text}, {"provider", Text}, {"category", Text},
	{"composite", Decimal}, {"adoption", Decimal}, {"quality", Decimal}, {"freshness", Decimal},
	{"citations", Decimal}, {"engagement", Decimal},
}

// BoardColumns lists the fields of an exported board of boards.yaml.
var BoardColumns = slices.Insert(slices.Clone(LeaderboardColumns), len(LeaderboardColumns)-len(record.ScoreNames),
	Column{"boardScore", Decimal})

// BoardRow returns the cells of the BoardColumns.
func BoardRow(e *record.Entity, rank int, score record.Score) Row {
	row := LeaderboardRow(e, rank)
	return slices.Insert(row, len(row)-len(record.ScoreNames), scoreCell(score))
}

// EntityRow returns the cells of the EntityColumns.
func EntityRow(e *record.Entity) Row {
	row := make(Row, 0, len(EntityColumns))
	for _, s := range [...]string{e.Slug, e.Type, e.Name, e.Provider, e.Description, e.Category,
		e.Version, e.PricingModel, e.License, e.URL} {
		row = append(row, Cell{Text: s})
	}
	row = append(row, Cell{List: e.Tags}, Cell{List: e.Capabilities})
	for _, name := range record.ScoreNames {
		row = append(row, scoreCell(e.Scores.Get(name)))
	}
	return append(row, Cell{Text: e.AddedDate}, Cell{Text: e.LastUpdated})
}

// LeaderboardRow returns the cells of the LeaderboardColumns.
func LeaderboardRow(e *record.Entity, rank int) Row {
	row := Row{{Number: float64(rank), Known: true}, {Text: e.Type}, {Text: e.Slug}, {Text: e.Name},
		{Text: e.Provider}, {Text: e.Category}}
	for _, name := range record.ScoreNames {
		row = append(row, scoreCell(e.Scores.Get(name)))
	}
	return row
}

func scoreCell(s record.Score) Cell { return Cell{Number: s.Float(), Known: s.Known()} }

// ChangeColumns lists the fields of an exported change in formats without nested
// objects.
var ChangeColumns = []Column{
	{"id", Text}, {"event", Text}, {"timestamp", Timestamp}, {"type", Text}, {"slug", Text}, {"name", Text},
	{"changes", Raw}, {"commit", Text}, {"author", Text}, {"pullRequest", Integer},
}

// ChangeRow returns the cells of the ChangeColumns.
func ChangeRow(c *record.Change) Row {
	return Row{{Text: c.ID}, {Text: c.Event}, {Text: c.Timestamp.UTC().Format(time.RFC3339)},
		{Text: c.Type}, {Text: c.Slug}, {Text: c.Name}, {Text: string(record.AppendFieldChanges(nil, c.Fields))},
		{Text: c.Commit}, {Text: c.Author}, {Number: float64(c.PullRequest), Known: c.PullRequest != 0}}
}
