package exports

// EntityColumns are the fields of an exported entity, in the order in which
// every format gives them.
var EntityColumns = []Column{
	{"slug", Text}, {"type", Text}, {"name", Text}, {"provider", Text}, {"description", Text},
	{"category", Text}, {"version", Text}, {"pricingModel", Text}, {"license", Text}, {"url", Text},
	{"tags", List}, {"capabilities", List},
	{"composite", Decimal}, {"adoption", Decimal}, {"quality", Decimal}, {"freshness", Decimal},
	{"citations", Decimal}, {"engagement", Decimal},
	{"addedDate", Date}, {"lastUpdated", Date},
}

// LeaderboardColumns are the fields of an exported leaderboard.
var LeaderboardColumns = []Column{
	{"rank", Integer}, {"type", Text}, {"slug", Text}, {"name", Text}, {"provider", Text}, {"category", Text},
	{"composite", Decimal}, {"adoption", Decimal}, {"quality", Decimal}, {"freshness", Decimal},
	{"citations", Decimal}, {"engagement", Decimal},
}

// Row returns the cells of the EntityColumns.
func (e *Entity) Row() Row {
	row := make(Row, 0, len(EntityColumns))
	for _, s := range [...]string{e.Slug, e.Type, e.Name, e.Provider, e.Description, e.Category,
		e.Version, e.PricingModel, e.License, e.URL} {
		row = append(row, Cell{Text: s})
	}
	row = append(row, Cell{List: e.Tags}, Cell{List: e.Capabilities})
	for _, name := range ScoreNames {
		row = append(row, scoreCell(e.Scores.Get(name)))
	}
	return append(row, Cell{Text: e.AddedDate}, Cell{Text: e.LastUpdated})
}

// LeaderboardRow returns the cells of the LeaderboardColumns.
func (e *Entity) LeaderboardRow(rank int) Row {
	row := Row{{Number: float64(rank), Known: true}, {Text: e.Type}, {Text: e.Slug}, {Text: e.Name},
		{Text: e.Provider}, {Text: e.Category}}
	for _, name := range ScoreNames {
		row = append(row, scoreCell(e.Scores.Get(name)))
	}
	return row
}

func scoreCell(s Score) Cell { return Cell{Number: s.Float(), Known: s.Known()} }
