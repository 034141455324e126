package exports

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/view"
)

// The model treats an entity as a few strings and computes every result by scanning
// all entities. It shares only the entities with the code under test.

func modelField(e *record.Entity, field string) []string {
	list := map[string][]string{
		"capability": e.Capabilities, "tag": e.Tags,
		"category": {e.Category}, "license": {e.License}, "pricingModel": {e.PricingModel},
		"provider": {e.Provider}, "status": {e.Status}, "type": {e.Type}, "maintenance": {e.Maintenance.State},
	}[field]
	if v := e.Values; list == nil {
		list = map[string][]string{"family": {v.Text("family")}, "modality": v.Texts("modalities.input"), "outputModality": v.Texts("modalities.output"),
			"openWeights": {v.Answer("openWeights")}}[field]
	}
	var known []string
	for _, v := range list {
		if v != "" {
			known = append(known, v)
		}
	}
	return known
}

// modelFields returns the folded values of all entities by field.
func modelFields(list []*record.Entity) []map[string][]string {
	out := make([]map[string][]string, len(list))
	for i, e := range list {
		out[i] = map[string][]string{}
		for _, field := range modelFieldNames {
			for _, v := range modelField(e, field) {
				out[i][field] = append(out[i][field], folded(v))
			}
		}
	}
	return out
}

var modelFieldNames = []string{"capability", "category", "family", "license", "maintenance", "modality", "openWeights", "outputModality",
	"pricingModel", "provider", "status", "tag", "type"}

// modelSignal returns the value of a signal or of the parameters: a number or, for a date, the days since
// some day.
func modelSignal(e *record.Entity, name string) (value float64, known bool) {
	if n := e.Values.Number("parameters.total"); name == "parameters.total" && n > 0 {
		return n, true
	}
	name = strings.TrimSuffix(name, ".total")
	for _, f := range e.Signals.Facts {
		switch {
		case f.Name != name:
		case f.Day == "":
			return f.Number, true
		default:
			return modelDays(f.Day), true
		}
	}
	return 0, false
}

func modelDays(day string) float64 {
	if len(day) == 7 {
		day += "-01"
	}
	t, err := time.Parse("2006-01-02", day)
	if err != nil {
		panic(err)
	}
	return float64(t.Unix() / 86400)
}

// modelValue returns a sort value as a string that sorts alphabetically, or "" for
// null.
func modelValue(e *record.Entity, key string) string {
	switch key {
	case "name":
		return "=" + folded(e.Name)
	case "addedDate":
		return e.AddedDate
	case "lastUpdated":
		return e.LastUpdated
	case "price":
		if p := e.Price.Blended; p.Known() {
			return padded(p.Float())
		}
		return ""
	case "context":
		key = "signal.contextTokens"
	}
	if name, ok := strings.CutPrefix(key, "signal."); ok {
		if v, known := modelSignal(e, name); known {
			return padded(v)
		}
		return ""
	}
	if s := e.Scores.Get(key); s.Known() {
		return scoreTexts[s.Float()]
	}
	return ""
}

// padded formats numbers of at least 0 so that they sort alphabetically.
func padded(x float64) string {
	s := strconv.FormatFloat(x, 'f', 6, 64)
	return strings.Repeat("0", 30-len(s)) + s
}

var scoreTexts = func() map[float64]string {
	texts := map[float64]string{}
	for i := range 1001 {
		texts[float64(i)/10] = fmt.Sprintf("%05.1f", float64(i)/10)
	}
	return texts
}()

func modelCompare(a, b *record.Entity, s view.Sort) int {
	x, y := modelValue(a, s.Key), modelValue(b, s.Key)
	if (x == "") != (y == "") {
		if x == "" {
			return 1
		}
		return -1
	}
	c := strings.Compare(x, y)
	if s.Desc {
		c = -c
	}
	return cmp.Or(c, strings.Compare(a.Type, b.Type), strings.Compare(a.Slug, b.Slug))
}

func modelMatches(e *record.Entity, fields map[string][]string, f *view.Filter) bool {
	if _, asked := f.Fields["status"]; !asked && e.Status == "withdrawn" {
		return false
	}
	for field, alternatives := range f.Fields {
		found := false
		for _, values := range alternatives {
			all := true
			for _, v := range values {
				all = all && slices.Contains(fields[field], folded(v))
			}
			found = found || all
		}
		if !found {
			return false
		}
	}
	if f.MinScore.Known() && (!e.Scores.Composite.Known() || e.Scores.Composite.Float() < f.MinScore.Float()) {
		return false
	}
	if p := e.Price.Blended; f.MaxPrice.Known() && (!p.Known() || p.Float() > f.MaxPrice.Float()) {
		return false
	}
	if f.RetiresBefore != "" && (e.Lifecycle == nil || e.Lifecycle.Retires == "" || e.Lifecycle.Retires >= f.RetiresBefore) {
		return false
	}
	for _, s := range f.Bounds {
		bound := s.Number
		if s.Day != "" {
			bound = modelDays(s.Day)
		}
		if v, known := modelSignal(e, strings.TrimPrefix(s.Key, "signal.")); !known || v != bound && v > bound == s.AtMost {
			return false
		}
	}
	return (f.AddedSince == "" || e.AddedDate >= f.AddedSince) && (f.UpdatedSince == "" || e.LastUpdated >= f.UpdatedSince)
}

func allSorts() (list []view.Sort) {
	for _, key := range []string{"composite", "adoption", "quality", "freshness", "citations", "engagement", "name", "addedDate", "lastUpdated",
		"price", "context", "signal.stars", "signal.archived", "signal.lastCommit"} {
		list = append(list, view.Sort{Key: key}, view.Sort{Key: key, Desc: true})
	}
	return list
}

// someSets returns a set of all records, a random set that is small enough to be
// sorted, a large random set and an empty set.
func someSets(rng *rand.Rand, n int) map[string]*roaring.Bitmap {
	sets := map[string]*roaring.Bitmap{"all": roaring.New(), "few": roaring.New(), "many": roaring.New(), "none": roaring.New()}
	sets["all"].AddRange(0, uint64(n))
	for range n / 40 {
		sets["few"].Add(uint32(rng.IntN(n)))
	}
	for range n / 2 {
		sets["many"].Add(uint32(rng.IntN(n)))
	}
	return sets
}

// modelOrder returns a set in the given order.
func modelOrder(list []*record.Entity, set *roaring.Bitmap, s view.Sort) []uint32 {
	out := set.ToArray()
	slices.SortFunc(out, func(x, y uint32) int { return modelCompare(list[x], list[y], s) })
	return out
}

func wantOrdinals(t *testing.T, what string, got, want []uint32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// nextYear returns a copy of the list with a tenth of the entities removed, a tenth changed
// and a tenth added. The original entities are not modified.
func nextYear(rng *rand.Rand, list []*record.Entity) []*record.Entity {
	var next []*record.Entity
	for _, e := range list {
		switch rng.IntN(10) {
		case 0:
			continue
		case 1:
			changed := randomEntity(rng, e.Type, e.Slug)
			changed.Formerly = e.Formerly
			next = append(next, changed)
		case 2:
			better := *e
			better.Scores = randomScores(rng)
			next = append(next, &better)
		default:
			next = append(next, e)
		}
	}
	return grow(rng, next, len(list))
}

func TestSelection(t *testing.T) {
	suite.InTest(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(20, 26))
	list := catalogue(6, catalogueSize)
	next := nextYear(rng, list)
	b, c := openBuild(t, list), openBuild(t, next)
	t.Run("select", func(t *testing.T) { checkSelect(t, rng, b, list) })
	t.Run("values", func(t *testing.T) { checkValues(t, rng, b, list) })
	t.Run("board", func(t *testing.T) { checkBoards(t, b, list) })
	t.Run("page", func(t *testing.T) { checkPages(t, rng, b, list) })
	t.Run("across", func(t *testing.T) { checkAcross(t, rng, b, list, c, next) })
	t.Run("hostile", func(t *testing.T) { checkHostile(t, rng, b, list) })
}

// randomFilter returns a filter with values that some entities have, possibly spelled
// differently, and sometimes with unknown values.
func randomFilter(rng *rand.Rand, list []*record.Entity) *view.Filter {
	f := &view.Filter{}
	for _, field := range modelFieldNames {
		if rng.IntN(5) > 0 {
			continue
		}
		if f.Fields == nil {
			f.Fields = map[string][][]string{}
		}
		var alternatives [][]string
		for range 1 + rng.IntN(3) {
			e := list[rng.IntN(len(list))]
			values := slices.Clone(modelField(e, field))
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			values = values[:min(len(values), 1+rng.IntN(3))]
			for i, v := range values {
				if _, special := spellings[v]; !special && rng.IntN(4) == 0 {
					values[i] = strings.ToUpper(v)
				}
			}
			if len(values) == 0 || rng.IntN(12) == 0 {
				values = append(values, []string{"nobody has this", "c", "t", "", "c1 "}[rng.IntN(5)])
			}
			alternatives = append(alternatives, values)
		}
		f.Fields[field] = alternatives
	}
	if rng.IntN(4) == 0 {
		f.MinScore = record.ScoreOf([]float64{0, 0.1, 50, 99.9, 100, float64(rng.IntN(1000)) / 10}[rng.IntN(6)])
	}
	if rng.IntN(4) == 0 {
		f.AddedSince = randomDay(rng)
	}
	if rng.IntN(4) == 0 {
		f.UpdatedSince = randomDay(rng)
	}
	if rng.IntN(8) == 0 {
		f.RetiresBefore = randomDay(rng)
	}
	if rng.IntN(8) == 0 {
		f.MaxPrice = record.PriceOf(rng.Int64N(3_000_000))
		if p := list[rng.IntN(len(list))].Price.Blended; p.Known() {
			f.MaxPrice = p
		}
	}
	for range max(0, rng.IntN(5)-2) {
		f.Bounds = append(f.Bounds, randomBound(rng, list))
	}
	return f
}

// randomBound returns a condition on a signal, often with the value of an entity.
func randomBound(rng *rand.Rand, list []*record.Entity) view.Bound {
	if rng.IntN(4) == 0 {
		return view.Bound{Key: "parameters.total", AtMost: rng.IntN(2) == 0, Number: float64(rng.IntN(5))}
	}
	s := kinds.Default().Signals[rng.IntN(len(kinds.Default().Signals))]
	b := view.Bound{Key: view.SignalKey(s.Name), AtMost: rng.IntN(2) == 0}
	f, known := list[rng.IntN(len(list))].Signals.Fact(s.Name)
	switch {
	case s.IsDay():
		b.Day = pick(rng, 0, "2025-06-01", "2025-05-31", "2024-06-30", "2025-12-01", "0001-01-01", "9999-12-31")
	case known:
		b.Number = f.Number
	default:
		b.Number = []float64{0, 1, 0.75, 1 << 39, 1e300, -1}[rng.IntN(6)]
	}
	return b
}

func checkSelect(t *testing.T, rng *rand.Rand, b *Build, list []*record.Entity) {
	fields := modelFields(list)
	hits := 0
	for range 500 {
		f := randomFilter(rng, list)
		got := b.Select(f)
		var want []uint32
		for i, e := range list {
			if modelMatches(e, fields[i], f) {
				want = append(want, uint32(i))
			}
		}
		wantOrdinals(t, fmt.Sprintf("%+v", *f), got.ToArray(), want)
		if len(want) > 0 {
			hits++
		}
		got.Flip(0, uint64(b.Len())) // the caller owns the set, so later filters must not see this change
	}
	if hits < 100 {
		t.Errorf("only %d filters chose anything", hits)
	}
	if !(&view.Filter{}).Empty() || (&view.Filter{MinScore: record.ScoreOf(0)}).Empty() || (&view.Filter{AddedSince: "x"}).Empty() || (&view.Filter{UpdatedSince: "x"}).Empty() ||
		(&view.Filter{RetiresBefore: "x"}).Empty() || (&view.Filter{MaxPrice: record.PriceOf(0)}).Empty() || (&view.Filter{Bounds: make([]view.Bound, 1)}).Empty() {
		t.Error("Empty is wrong")
	}
	for _, f := range wrongFilters {
		if got := b.Select(f); !got.IsEmpty() {
			t.Errorf("%+v selects %d records", *f, got.GetCardinality())
		}
	}
}

// wrongFilters ask for days that do not exist, and for something that is no signal.
var wrongFilters = []*view.Filter{{AddedSince: "2025-02-30"}, {UpdatedSince: "x"}, {RetiresBefore: "2025-02-30"}, {Bounds: []view.Bound{{Key: "signal.star"}}},
	{Bounds: []view.Bound{{Key: "signal.created", Day: "2025"}}}, {Bounds: []view.Bound{{Key: "signal.created", Day: "2025", AtMost: true}}}}

func checkValues(t *testing.T, rng *rand.Rand, b *Build, list []*record.Entity) {
	for name, set := range someSets(rng, len(list)) {
		for field, got := range b.Facets(set, view.FilterFields(kinds.Default()), 5) {
			if want := b.Facet(set, field, 5); !slices.Equal(got, want) {
				t.Errorf("facet %s over %s, counted with others, is %v, want %v", field, name, got, want)
			}
		}
	}
	for _, field := range modelFieldNames {
		having := map[string][]uint32{}
		forms := map[string]map[string]int{}
		for i, e := range list {
			for _, v := range modelField(e, field) {
				key := folded(v)
				if forms[key] == nil {
					forms[key] = map[string]int{}
				}
				forms[key][v]++
				having[key] = append(having[key], uint32(i))
			}
		}
		shown := map[string]string{} // most frequent spelling; on a tie, the first alphabetically
		var keys []string
		for key, counts := range forms {
			keys = append(keys, key)
			for v, n := range counts {
				if best := counts[shown[key]]; n > best || n == best && v < shown[key] {
					shown[key] = v
				}
			}
			for _, v := range []string{shown[key], strings.ToUpper(key), key} {
				if folded(v) != key {
					continue // the model cannot fold names such as "İSTANBUL"
				}
				wantOrdinals(t, field+" "+v, b.Bitmap(field, v).ToArray(), having[key])
			}
		}
		slices.Sort(keys)
		var spelled []string
		for _, key := range keys {
			spelled = append(spelled, shown[key])
		}
		suite.Equal(t, b.Values(field), spelled, field)
		if b.Bitmap(field, "nobody has this") != nil {
			t.Errorf("an entity has it in %s", field)
		}
		for name, set := range someSets(rng, len(list)) {
			var want []view.FacetCount
			for _, key := range keys {
				n := int(roaring.And(set, roaring.BitmapOf(having[key]...)).GetCardinality())
				if n > 0 {
					want = append(want, view.FacetCount{Value: shown[key], Count: n})
				}
			}
			slices.SortStableFunc(want, func(x, y view.FacetCount) int { return y.Count - x.Count })
			for _, top := range []int{0, 1, 5, 1000} {
				if got := b.Facet(set, field, top); !slices.Equal(got, want[:min(top, len(want))]) {
					t.Errorf("facet %s over %s:\ngot  %v\nwant %v", field, name, got, want[:min(top, len(want))])
				}
			}
		}
	}
}

func checkBoards(t *testing.T, b *Build, list []*record.Entity) {
	for _, category := range []string{"all", "c1", "c11", "c99"} {
		for _, typ := range []string{"", "tool", "model", "robot"} {
			for _, score := range []string{"composite", "adoption", "engagement"} {
				var want []uint32
				for i, e := range list {
					if e.Status != "withdrawn" && (category == "all" || e.Category == category) && (typ == "" || e.Type == typ) && e.Scores.Get(score).Known() {
						want = append(want, uint32(i))
					}
				}
				got := b.Board(category, typ, score)
				wantOrdinals(t, category+" "+typ+" "+score, got.ToArray(), want)
			}
		}
	}
}

func checkPages(t *testing.T, rng *rand.Rand, b *Build, list []*record.Entity) {
	for name, set := range someSets(rng, len(list)) {
		byKey := set.ToArray()
		slices.SortFunc(byKey, func(x, y uint32) int {
			return cmp.Or(strings.Compare(list[x].Type, list[y].Type), strings.Compare(list[x].Slug, list[y].Slug))
		})
		wantOrdinals(t, "in key order", b.InKeyOrder(set), byKey)
		for _, s := range allSorts() {
			want := modelOrder(list, set, s)
			what := fmt.Sprintf("%s by %+v", name, s)
			limit := 1 + len(want)/(5+rng.IntN(20))
			page := func(got []uint32, more, ok bool, from int) {
				t.Helper()
				end := min(from+limit, len(want))
				if !ok || more != (end < len(want)) {
					t.Fatalf("%s from %d: more %v, ok %v", what, from, more, ok)
				}
				wantOrdinals(t, fmt.Sprintf("%s from %d", what, from), got, want[from:end])
			}
			for from := 0; from < len(want); from += limit {
				got, more, ok := b.Page(set, s, nil, from, limit)
				page(got, more, ok, from)
			}
			got, more, ok := b.Page(set, s, nil, len(want)+7, limit)
			if len(got) != 0 || more || !ok {
				t.Fatalf("%s after the end: %v %v %v", what, got, more, ok)
			}
			var after *view.Position
			for from := 0; from <= len(want); from += limit {
				got, more, ok := b.Page(set, s, after, 0, limit)
				page(got, more, ok, from)
				if !more {
					break
				}
				place := b.Order(s).PositionOf(got[len(got)-1])
				after = &place
				if n := b.Order(s).CountUntil(set, place); n != from+len(got) {
					t.Fatalf("%s: %d until %+v, want %d", what, n, place, from+len(got))
				}
			}
			if len(want) > 5 {
				place := b.Order(s).PositionOf(want[2])
				got, more, ok := b.Page(set, s, &place, 2, 1)
				if !ok || more != (len(want) > 6) || len(got) != 1 || got[0] != want[5] {
					t.Fatalf("%s: skipping after a position gives %v %v %v, want %d", what, got, more, ok, want[5])
				}
			}
		}
	}
}
