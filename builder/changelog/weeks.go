package changelog

import (
	"cmp"
	"slices"
	"time"

	"kindex/exports/history"
	"kindex/exports/parallel"
	"kindex/exports/record"
)

// The maximum number of movers in a week: by score, and by each signal.
const scoreMovers, figureMovers = 10, 3

// findWeeks finds what moved most in each completed week between two Sundays that have a
// snapshot. A week depends only on the versions and the formula that were in force at its end, so
// that weeks of the previous build are copied, and later builds find the same.
func (a *Archive) findWeeks(formulaAt FormulaAt) error {
	after := history.Followers(a.result.Versions)
	days := sundays(midnight(a.AsOf))
	for _, sunday := range days[:len(days)-1] {
		week, known := a.knownWeek(sunday)
		if !known {
			var err error
			if week, err = a.week(sunday, after, formulaAt); err != nil {
				return err
			}
		}
		if week != nil {
			a.result.Weeks = append(a.result.Weeks, week)
		}
	}
	return nil
}

// knownWeek returns the week that ends with a Sunday from the previous build, or nil if it had no
// movers. known is false if that build does not know the week, or if commits made since then
// belong to it.
func (a *Archive) knownWeek(sunday time.Time) (week *record.Week, known bool) {
	r := &a.result
	if a.previous == nil || len(r.Versions) > r.Kept && r.Versions[r.Kept].Time < endOf(sunday) {
		return nil, false
	}
	asOf, err := time.Parse(time.RFC3339, a.Input.Previous.Manifest.AsOf)
	if days := sundays(midnight(asOf)); err != nil || !slices.Contains(days[:len(days)-1], sunday) {
		return nil, false
	}
	for _, w := range a.previous.Weeks() {
		if w.End.Unix() == endOf(sunday) {
			return w, true
		}
	}
	return nil, true
}

// week finds what moved most in the week that ends with a Sunday. It returns nil if there were no
// movers, or if the index was still empty at the start of the week. Its formula is that of the last
// commit in the week that changed an entity.
func (a *Archive) week(sunday time.Time, after []int32, formulaAt FormulaAt) (*record.Week, error) {
	w := &window{archive: a, asOf: sunday, since: sunday.AddDate(0, 0, -7), days: 7, end: endOf(sunday), after: after}
	if a.result.Versions[0].Time >= endOf(w.since) {
		return nil, nil
	}
	changed, last := w.changes()
	if len(changed) == 0 {
		return nil, nil
	}
	var err error
	w.formula = a.Formula
	if commit := a.result.Versions[last].Commit; commit != none && formulaAt != nil {
		if w.formula, err = formulaAt(a.result.Commits[commit].Hash); err != nil {
			return nil, err
		}
	}
	first, err := a.changeOf(0)
	if err != nil {
		return nil, err
	}
	week := &record.Week{End: w.since.AddDate(0, 0, 8), Scores: []record.ScoreMove{}, Figures: []record.FigureMove{}}
	week.ID = week.Name() + "-" + first.ID
	if err := w.fill(week, changed); err != nil || len(week.Scores)+len(week.Figures) == 0 {
		return nil, err
	}
	return week, nil
}

// move is how an entity moved within a week.
type move struct {
	then, newest int32
	changes      uint32
	score        record.ScoreMove // without ranks
	risen        bool             // the score has risen because of changes
	figures      []record.FigureMove
}

// gain returns the difference of the scores in tenths.
func (m *move) gain() int16 { return m.score.Score.Tenths() - m.score.Previous.Tenths() }

// fill adds the movers among the changed entities to a week.
func (w *window) fill(week *record.Week, changed map[int32]uint32) error {
	moves := make([]move, 0, len(changed))
	for newest, changes := range changed {
		moves = append(moves, move{then: w.start(newest), newest: newest, changes: changes})
	}
	if err := parallel.Each(len(moves), func(i int) error { return w.measure(&moves[i]) }); err != nil {
		return err
	}
	var risen []move
	for _, m := range moves {
		week.Figures = append(week.Figures, m.figures...)
		if m.risen {
			risen = append(risen, m)
		}
	}
	week.Figures = largestGrowth(week.Figures)
	if len(risen) == 0 {
		return nil
	}
	return w.fillScores(week, risen)
}

// measure finds the gain and the growth of an entity.
func (w *window) measure(m *move) error {
	e, err := w.archive.entity(m.newest)
	if err != nil || m.then == none || e == nil || e.Status == record.Withdrawn {
		return err
	}
	m.score.Mover = record.Mover{Type: e.Type, Slug: e.Slug, Name: e.Name}
	grown, err := w.growth(m.then, m.newest)
	if err != nil {
		return err
	}
	for _, g := range grown {
		m.figures = append(m.figures, record.FigureMove{Mover: m.score.Mover, Signal: g.Signal, Previous: g.Previous, Value: g.Now})
	}
	if w.formula == nil {
		return nil
	}
	var comparable bool
	m.score.Score, m.score.Previous, comparable, err = w.compare(m.then, m.newest)
	m.risen = comparable && m.score.Score.Known() && m.score.Previous.Known() && m.gain() > 0
	return err
}

// fillScores adds those entities that have gained most in score to a week.
func (w *window) fillScores(week *record.Week, risen []move) error {
	slices.SortFunc(risen, func(x, y move) int {
		return cmp.Or(cmp.Compare(y.gain(), x.gain()), cmp.Compare(y.changes, x.changes), compareMovers(x.score.Mover, y.score.Mover))
	})
	before, err := w.ranks(w.since)
	if err != nil {
		return err
	}
	now, err := w.ranks(w.asOf)
	if err != nil {
		return err
	}
	var standing []int32
	for _, v := range aliveAt(w.archive.result.Versions, w.after, endOf(w.asOf)) {
		if now(int32(v)) > 0 {
			standing = append(standing, int32(v))
		}
	}
	slices.SortFunc(standing, func(x, y int32) int { return cmp.Compare(now(x), now(y)) })
	places := w.places(standing, before)
	for _, m := range risen[:min(scoreMovers, len(risen))] {
		at := places[m.newest]
		m.score.Rank, m.score.PreviousRank = int(at.now), int(at.before)
		week.Scores = append(week.Scores, m.score)
	}
	return nil
}

// ranks returns the ranks at the end of a day of the week, by version, according to the formula of
// the week.
func (w *window) ranks(day time.Time) (func(version int32) uint32, error) {
	a, name := w.archive, day.Format(time.DateOnly)
	if formulaHash(w.formula) == a.result.Head.Formula {
		return a.ranksOf(name), nil
	}
	rows, err := a.rank(w.formula, day, aliveAt(a.result.Versions, w.after, endOf(day)))
	if err != nil {
		return nil, err
	}
	var ranked []uint32
	for i := range rows {
		if rows[i].Status != record.Withdrawn && rows[i].Scores.Composite.Known() {
			ranked = append(ranked, rows[i].Version)
		}
	}
	return ranksIn(ranked), nil
}

// largestGrowth sorts figures by signal and gain, and keeps the largest gains of each signal.
func largestGrowth(list []record.FigureMove) []record.FigureMove {
	slices.SortFunc(list, func(x, y record.FigureMove) int {
		return cmp.Or(cmp.Compare(x.Signal, y.Signal), cmp.Compare(y.Value-y.Previous, x.Value-x.Previous), cmp.Compare(y.Value, x.Value),
			compareMovers(x.Mover, y.Mover))
	})
	kept := map[string]int{}
	return slices.DeleteFunc(list, func(m record.FigureMove) bool {
		kept[m.Signal]++
		return kept[m.Signal] > figureMovers
	})
}

func compareMovers(x, y record.Mover) int {
	return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Slug, y.Slug))
}
