package content

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"kindex/builder/content/yamldoc"
	"kindex/exports/board"
	"kindex/exports/view"
)

// parseBoards reads boards.yaml, which matches its schema, and checks its slugs, conditions and formulas.
func (c *Content) parseBoards() (yamldoc.Problems, error) {
	if c.BoardsFile.Text == nil {
		return nil, nil
	}
	d := yamldoc.Parse(c.BoardsFile.Path, c.BoardsFile.Text)
	list, _ := yamldoc.ValueAt(d.Value, []string{"boards"}).([]any)
	var categories, former []string
	for i := range c.Categories {
		categories = append(categories, c.Categories[i].Slug)
		former = append(former, c.Categories[i].Formerly...)
	}
	words := newVocabulary(c.Vocabulary)
	seen := map[string]bool{}
	for i, item := range list {
		b, err := parseBoard(item)
		if err != nil {
			return nil, fmt.Errorf("%s: boards[%d]: %w", c.BoardsFile.Path, i, err)
		}
		at := func(path ...string) []string { return append([]string{"boards", strconv.Itoa(i)}, path...) }
		c.checkBoardSlug(d, at("slug"), b.Slug, categories, former, seen)
		mistakes := b.Check(c.Kinds, categories)
		words.checkBoard(b, func(path []string, message, suggestion string) {
			mistakes = append(mistakes, &board.Error{Path: path, Message: message, Suggestion: suggestion})
		})
		for _, m := range mistakes {
			path := at(m.Path...)
			if _, isList := yamldoc.ValueAt(item, m.Path[:len(m.Path)-1]).([]any); m.Path[0] == "where" && len(m.Path) == 3 && !isList {
				path = at(m.Path[:2]...) // a single value has no index
			}
			d.AddAt(path, false, yamldoc.Problem{Message: m.Message, Suggestion: m.Suggestion})
		}
		c.Boards = append(c.Boards, b)
	}
	problems := d.Report()
	if len(problems) > 0 {
		c.Boards = nil
	}
	return problems, nil
}

// checkBoardSlug refuses the slug of a board if a leaderboard with this name exists already.
func (c *Content) checkBoardSlug(d *yamldoc.Document, path []string, slug string, categories, former []string, seen map[string]bool) {
	add := func(message, suggestion string) {
		d.AddAt(path, false, yamldoc.Problem{Message: yamldoc.Quote(slug) + message, Suggestion: suggestion})
	}
	switch {
	case seen[slug]:
		add(" is given twice", "")
	case slug == view.AllBoard:
		add(reservedSlug, "")
	case slices.Contains(categories, slug):
		other := slug + "-board"
		for seen[other] || slices.Contains(categories, other) {
			other += "-2"
		}
		add(" is the slug of a category, which has a leaderboard of its own; use another slug", other)
	case slices.Contains(former, slug):
		add(" is the former slug of a category; use another slug", "")
	default:
		if device := DeviceName(slug); device != "" {
			add(device, "")
		}
	}
	seen[slug] = true
}

// parseBoard converts the fields of a board. They match the schema.
func parseBoard(item any) (*board.Board, error) {
	fields, _ := item.(map[string]any)
	own := map[string]any{}
	maps.Copy(own, fields)
	conditions := map[string][]string{}
	set, _ := fields["where"].(map[string]any)
	for name, value := range set {
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		for _, v := range values {
			text := fmt.Sprint(v) // text, a whole number, true or false
			if x, ok := v.(float64); ok {
				text = strconv.FormatFloat(x, 'f', -1, 64)
			}
			conditions[name] = append(conditions[name], text)
		}
	}
	own["where"] = conditions
	asJSON, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	b := new(board.Board)
	return b, json.Unmarshal(asJSON, b)
}
