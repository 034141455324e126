package changelog

import (
	"cmp"
	"slices"
	"time"

	"kindex/exports/record"
)

// The maximum number of movers in a week: by score, and by each signal.
const scoreMovers, figureMovers = 10, 3

// findWeeks finds what moved most in each completed week between two Sundays that have a
// snapshot. A week depends only on the versions and the formula that were in force at its end, so
// that weeks of the previous build are copied, and later builds find the same.
func (a *Archive) findWeeks(formulaAt FormulaAt) error {
	days := sundays(midnight(a.AsOf))
	for _, sunday := range days[:len(days)-1] {
		week, known := a.knownWeek(sunday)
		if !known {
			var err error
			if week, err = a.week(sunday, formulaAt); err != nil {
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
func (a *Archive) week(sunday time.Time, formulaAt FormulaAt) (*record.Week, error) {
	w := &window{Archive: a, formula: a.Formula, asOf: sunday, since: sunday.AddDate(0, 0, -7), days: 7, end: endOf(sunday)}
	if a.result.Versions[0].Time >= endOf(w.since) {
		return nil, nil
	}
	changed, last := w.changes()
	if len(changed) == 0 {
		return nil, nil
	}
	if commit := a.result.Versions[last].Commit; commit != none && formulaAt != nil {
		var err error
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
	if w.fill(week, changed); len(week.Scores)+len(week.Figures) == 0 {
		return nil, nil
	}
	return week, nil
}

func (w *window) fill(week *record.Week, changed map[int32]uint32) {
	var risen []scoreMove
	for _, m := range w.moves(changed) {
		e := w.entity(m.newest)
		if e == nil || m.then == none || e.Status == record.Withdrawn {
			continue
		}
		mover := record.Mover{Type: e.Type, Slug: e.Slug, Name: e.Name}
		for _, g := range m.grown {
			week.Figures = append(week.Figures, record.FigureMove{Mover: mover, Signal: g.Signal, Previous: g.Previous, Value: g.Now})
		}
		s := scoreMove{record.ScoreMove{Mover: mover, Score: m.now, Previous: m.before}, m}
		if m.comparable && m.now.Known() && m.before.Known() && s.gain() > 0 {
			risen = append(risen, s)
		}
	}
	week.Figures = largestGrowth(week.Figures)
	if len(risen) > 0 {
		w.fillScores(week, risen)
	}
}

// scoreMove is a move by which a score has risen.
type scoreMove struct {
	record.ScoreMove // without ranks
	move
}

// gain returns the difference of the scores in tenths.
func (m *scoreMove) gain() int16 { return m.now.Tenths() - m.before.Tenths() }

// fillScores adds those entities that have gained most in score to a week.
func (w *window) fillScores(week *record.Week, risen []scoreMove) {
	slices.SortFunc(risen, func(x, y scoreMove) int {
		return cmp.Or(cmp.Compare(y.gain(), x.gain()), cmp.Compare(y.changes, x.changes), compareMovers(x.Mover, y.Mover))
	})
	before, now := w.ranks(w.since), w.ranks(w.asOf)
	standing := slices.DeleteFunc(w.aliveAt(endOf(w.asOf)), func(v int32) bool { return now(v) == 0 })
	slices.SortFunc(standing, func(x, y int32) int { return cmp.Compare(now(x), now(y)) })
	places := w.places(standing, before)
	for _, m := range risen[:min(scoreMovers, len(risen))] {
		at := places[m.newest]
		m.Rank, m.PreviousRank = int(at.now), int(at.before)
		week.Scores = append(week.Scores, m.ScoreMove)
	}
}

// ranks returns the ranks at the end of a day of the week, by version, according to the formula of
// the week.
func (w *window) ranks(day time.Time) func(version int32) uint32 {
	if formulaHash(w.formula) == w.result.Head.Formula {
		return w.ranksOf(day.Format(time.DateOnly))
	}
	var ranked []uint32
	for _, row := range w.rank(w.formula, day) {
		if row.Status != record.Withdrawn && row.Scores.Composite.Known() {
			ranked = append(ranked, row.Version)
		}
	}
	return ranksIn(ranked)
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
