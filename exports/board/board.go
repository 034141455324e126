// Package board defines the boards of boards.yaml: leaderboards of the entities that match
// conditions, ranked by a formula of their own. It computes the scores of entities on a board, each
// of which depends only on the entity, the board and the as-of time, and the order of a board.
package board

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports"
	"kindex/exports/didyoumean"
	"kindex/exports/jsonenc"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/score"
	"kindex/exports/view"
	"kindex/exports/where"
)

// MinEntries is the number of ranked entities that a board needs to be published. A shorter
// list says more about which entities happen to be known than about which are better.
const MinEntries = 8

// ScoreName is the name of a record's score on a board.
const ScoreName = "boardScore"

// Filters returns the conditions that a board may have, named as the parameters of GET
// /api/entities. Those of time are left out: a board does not change by itself.
func Filters(declared *kinds.Set) []string {
	return slices.DeleteFunc(where.Filters(declared), func(name string) bool {
		return name == "type" || name == "addedSince" || name == "updatedSince" || name == "retiresBefore"
	})
}

// Board is the definition of a board. After Resolve, its methods may be called concurrently.
type Board struct {
	Slug        string              `json:"slug"`
	Title       string              `json:"title"`
	Description string              `json:"description"`
	Type        string              `json:"type"`
	Where       map[string][]string `json:"where"`   // alternatives, by name of the filter
	Formula     *score.TypeFormula  `json:"formula"` // nil for the formula of the type
	Needs       score.Needs         `json:"needs"`

	filter  *view.Filter
	formula *score.Formula
}

// Check returns the mistakes in the conditions and in the formula of a board. categories are
// the categories of the index. An error in a list of conditions has the path of the entry.
func (b *Board) Check(declared *kinds.Set, categories []string) (mistakes []*kinds.Error) {
	filters := Filters(declared)
	for _, name := range slices.Sorted(maps.Keys(b.Where)) {
		if !slices.Contains(filters, name) {
			mistakes = append(mistakes, &kinds.Error{Path: []string{"where", name}, Message: "is not a filter of a board; expected one of: " + strings.Join(filters, ", "),
				Suggestion: didyoumean.Name(name, filters)})
			continue
		}
		for i, value := range b.Where[name] {
			if err := checkCondition(declared, name, value, categories); err != nil {
				err.Path = []string{"where", name, fmt.Sprint(i)}
				mistakes = append(mistakes, err)
			}
		}
		if n := len(b.Where[name]); n > 1 && (strings.HasPrefix(name, "min") || strings.HasPrefix(name, "max")) {
			mistakes = append(mistakes, &kinds.Error{Path: []string{"where", name}, Message: "must have one value, not a list"})
		}
	}
	mistakes = append(mistakes, b.checkFormula(declared)...)
	if b.Formula != nil {
		mistakes = append(mistakes, b.checkNeeds(b.Formula)...)
	}
	return mistakes
}

func (b *Board) checkNeeds(formula *score.TypeFormula) []*kinds.Error {
	if message := b.Needs.Validate(formula); message != "" {
		return []*kinds.Error{{Path: []string{"needs"}, Message: message}}
	}
	return nil
}

func checkCondition(declared *kinds.Set, name, value string, categories []string) *kinds.Error {
	if name == "status" && value == record.Withdrawn {
		return &kinds.Error{Message: "withdrawn entities are not on any leaderboard"}
	}
	given := where.Params{Given: map[string][]string{name: {value}}}
	given.Filter(categories, view.NewTerms(declared, nil))
	if bad, ok := given.Err.(*where.Error); ok { //nolint:errorlint // package where never wraps it
		return &kinds.Error{Message: bad.Message, Suggestion: bad.Suggestion}
	}
	return nil
}

// checkFormula checks the formula as that of a type in scoring.yaml.
func (b *Board) checkFormula(declared *kinds.Set) (mistakes []*kinds.Error) {
	if b.Formula == nil {
		return nil
	}
	_, wrong, err := score.Parse(declared, (&score.Formula{Types: map[string]*score.TypeFormula{b.Type: b.Formula}}).JSON())
	if err != nil {
		return []*kinds.Error{{Path: []string{"formula"}, Message: err.Error()}}
	}
	for _, w := range wrong {
		path := []string{"formula"}
		if len(w.Path) > 2 { // types, the type
			path = append(path, w.Path[2:]...)
		}
		mistakes = append(mistakes, &kinds.Error{Path: path, Message: w.Message})
	}
	return mistakes
}

// Resolve prepares a checked board for the other methods, given the formula of the index. It
// returns an error if the type has no formula and the board does not either.
func (b *Board) Resolve(declared *kinds.Set, formula *score.Formula) error {
	own := b.Formula
	if own == nil {
		own = formula.Types[b.Type]
	}
	if own == nil {
		return &kinds.Error{Path: []string{"type"}, Message: "scoring.yaml has no formula for type " + b.Type + ", so the board needs its own formula"}
	}
	if wrong := b.checkNeeds(own); len(wrong) > 0 {
		return wrong[0]
	}
	b.formula = &score.Formula{Version: formula.Version, DeprecatedCap: formula.DeprecatedCap, Types: map[string]*score.TypeFormula{b.Type: own}}
	conditions := where.Params{Given: b.Where}
	f := conditions.Filter(b.Where["category"], view.NewTerms(declared, nil))
	if conditions.Err != nil {
		return fmt.Errorf("board %s: %w", b.Slug, conditions.Err)
	}
	f.Fields["type"] = [][]string{{b.Type}}
	b.filter = f
	return nil
}

// TypeFormula returns the formula of the board: its own, or that of its type.
func (b *Board) TypeFormula() *score.TypeFormula { return b.formula.Types[b.Type] }

// Filter returns the conditions of the board, including its type. It must not be modified.
func (b *Board) Filter() *view.Filter { return b.filter }

// Parse reads and resolves the boards in the BoardsFile of a build.
func Parse(declared *kinds.Set, data []byte, formula *score.Formula) ([]*Board, error) {
	var list []*Board
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", exports.BoardsFile, err)
	}
	for _, b := range list {
		if b == nil || declared.Kind(b.Type) == nil {
			return nil, fmt.Errorf("%s: has an incomplete board", exports.BoardsFile)
		}
		if mistakes := b.Check(declared, b.Where["category"]); len(mistakes) > 0 {
			return nil, fmt.Errorf("%s: board %s: %w", exports.BoardsFile, b.Slug, mistakes[0])
		}
		if err := b.Resolve(declared, formula); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// entry returns the place of an entity that meets the conditions, without its ordinal. ok is false if the entity is
// not on the board.
func (b *Board) entry(e *record.Entity, asOf time.Time) (entry exports.BoardEntry, ok bool) {
	x := b.formula.Explain(e, asOf)
	figures := x.Figures()
	if entry.Score = x.Composite; !entry.Score.Known() || b.Needs.Unmet("it", figures) != "" {
		return entry, false
	}
	entry.Oldest, entry.Newest = record.NoDate, record.NoDate
	for _, f := range figures {
		if f.Date == nil {
			continue
		}
		if day, err := record.DayNumber(record.FirstDay(*f.Date)); err == nil {
			entry.Oldest, entry.Newest = extended(entry.Oldest, entry.Newest, day, day)
		}
	}
	return entry, true
}

// extended returns the span of two spans, whose days may be unknown.
func extended(oldest, newest, from, to int32) (int32, int32) {
	if from != record.NoDate && (oldest == record.NoDate || from < oldest) {
		oldest = from
	}
	return oldest, max(newest, to)
}

// Scores calculates the dimensions of the board's formula for an entity of its type. The
// composite is the score on the board if the entity is on it.
func (b *Board) Scores(e *record.Entity, asOf time.Time) record.Scores {
	return b.formula.Scores(e, asOf)
}

// Explanation shows how the score of an entity on a board was calculated. Its composite is
// that score; it is shown even if the entity is not on the board for another reason.
type Explanation struct {
	*score.Explanation
	Board Placement `json:"board"`
}

// Placement states what a board requires and what an entity has.
type Placement struct {
	Slug       string       `json:"slug"`
	Title      string       `json:"title"`
	BoardScore record.Score `json:"boardScore"` // null if the entity is not on the board
	Matches    bool         `json:"matches"`    // whether the entity meets the conditions of the board
	Needs      *string      `json:"needs"`      // in words, null if nothing else is needed
	Sources    []string     `json:"sources"`    // of the counted benchmark results, without the model's maker
	Measures   int          `json:"measures"`   // number of counted measures
}

// Explain calculates and explains the score of an entity on the board. Scores and Computed of
// the entity must be set, as of the same time.
func (b *Board) Explain(e *record.Entity, asOf time.Time) *Explanation {
	formula := b.formula
	if e.Type != b.Type { // explain that it does not belong here rather than by which formula
		formula = &score.Formula{Version: b.formula.Version}
	}
	x := &Explanation{Explanation: formula.Explain(e, asOf), Board: Placement{Slug: b.Slug, Title: b.Title, Matches: b.filter.Matches(e)}}
	figures := x.Figures()
	x.Board.Sources, x.Board.Measures = append([]string{}, score.Sources(figures)...), len(figures)
	if needs := b.Needs.Sentence(); needs != "" {
		x.Board.Needs = &needs
	}
	if reason := b.reason(e, x, figures); reason != "" {
		x.Ranked, x.Reason = false, &reason
	}
	if x.Ranked {
		x.Board.BoardScore = x.Composite
	}
	return x
}

// reason returns why an entity with a score is not on the board, or "".
func (b *Board) reason(e *record.Entity, x *Explanation, figures []score.MeasureValue) string {
	p := &x.Board
	switch {
	case e.Status == record.Withdrawn:
		return "" // the score's own reason says so
	case e.Type != b.Type:
		return fmt.Sprintf("the board %s ranks entities of the type %s, not %s", b.Slug, b.Type, e.Type)
	case !p.Matches:
		return "it does not meet the conditions of the board " + b.Slug
	case !x.Ranked:
		return ""
	}
	return b.Needs.Unmet("the board "+b.Slug, figures)
}

// Ranking is a board at one time, with ordinals in a catalogue. Its methods may be called concurrently.
type Ranking struct {
	Catalogue *view.View
	Entries   []exports.BoardEntry // best first; must not be modified

	set   *roaring.Bitmap
	order *view.Order
	place map[uint32]int // by ordinal, the index in Entries
}

// Rank returns the ranking of the board in a catalogue. Scores and Computed of the entities must be set, as of the
// same time.
func (b *Board) Rank(c *view.View, asOf time.Time) *Ranking {
	var entries []exports.BoardEntry
	for o := range roaring.Values(c.Select(b.filter)) {
		if entry, ok := b.entry(c.Entity(o), asOf); ok {
			entry.Ordinal = o
			entries = append(entries, entry)
		}
	}
	return newRanking(c, entries)
}

func newRanking(c *view.View, entries []exports.BoardEntry) *Ranking {
	r := &Ranking{Catalogue: c, Entries: entries, set: roaring.New(), place: map[uint32]int{}}
	scores := map[uint32]record.Score{}
	for _, e := range entries {
		r.set.Add(e.Ordinal)
		scores[e.Ordinal] = e.Score
	}
	r.order = c.OrderByScores(scores)
	for i, o := range r.Order(ScoreName) {
		r.place[o] = i
	}
	slices.SortFunc(r.Entries, func(x, y exports.BoardEntry) int { return r.place[x.Ordinal] - r.place[y.Ordinal] })
	return r
}

// By returns the records on the board that have a score, one of a record's or ScoreName, and the order by it, best
// first. The set must not be modified.
func (r *Ranking) By(score string) (*roaring.Bitmap, *view.Order) {
	if score == ScoreName {
		return r.set, r.order
	}
	all := r.Catalogue.Board(view.AllBoard, "", score)
	all.And(r.set)
	return all, r.Catalogue.Order(view.Sort{Key: score, Desc: true})
}

// Order returns the ordinals of the records on the board that have a score, best first.
func (r *Ranking) Order(score string) []uint32 {
	set, order := r.By(score)
	all, _, _ := order.Page(set, nil, 0, r.Catalogue.Len())
	return all
}

// Published reports whether the board has enough entries to be published.
func (r *Ranking) Published() bool { return len(r.Entries) >= MinEntries }

// Find returns the rank and the score of a record on the board. ok is false if it is not on it.
func (r *Ranking) Find(ordinal uint32) (rank int, s record.Score, ok bool) {
	i, ok := r.place[ordinal]
	if !ok {
		return 0, s, false
	}
	return i + 1, r.Entries[i].Score, true
}

// Span is the range of dates of the figures on a board.
type Span struct {
	// Oldest and Newest are YYYY-MM-DD, or "" if no figure has a date.
	Oldest jsonenc.OptionalString `json:"oldest"`
	Newest jsonenc.OptionalString `json:"newest"`
}

// FiguresOf returns the dates of the oldest and the newest figure that counts on the board.
func (r *Ranking) FiguresOf() Span {
	oldest, newest := int32(record.NoDate), int32(record.NoDate)
	for _, e := range r.Entries {
		oldest, newest = extended(oldest, newest, e.Oldest, e.Newest)
	}
	return Span{jsonenc.OptionalString(record.FormatDay(oldest)), jsonenc.OptionalString(record.FormatDay(newest))}
}
