package exports

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kindex/exports/record"
	"kindex/exports/view"
)

// checkAcross uses cursors from one build in the next build. The page must contain those of
// the new build's records that sort strictly after the record of the cursor.
func checkAcross(t *testing.T, rng *rand.Rand, old *Build, before []*record.Entity, b *Build, list []*record.Entity) {
	for name, set := range someSets(rng, len(list)) {
		for _, s := range allSorts() {
			order := modelOrder(list, set, s)
			for range 8 {
				o := rng.IntN(len(before))
				from := slices.IndexFunc(order, func(x uint32) bool { return modelCompare(list[x], before[o], s) > 0 })
				if from < 0 {
					from = len(order)
				}
				place := old.Order(s).PositionOf(uint32(o))
				limit := 1 + rng.IntN(40)
				end := min(from+limit, len(order))
				got, more, ok := b.Page(set, s, &place, 0, limit)
				if !ok || more != (end < len(order)) {
					t.Fatalf("%s by %+v after %+v: more %v, ok %v", name, s, place, more, ok)
				}
				wantOrdinals(t, fmt.Sprintf("%s by %+v behind %+v", name, s, place), got, order[from:end])
				if n := b.Order(s).CountUntil(set, place); n != from {
					t.Fatalf("%s by %+v: %d until %+v, want %d", name, s, n, place, from)
				}
			}
		}
	}
}

// checkHostile tries positions that no build returns. Each page must be a contiguous range of
// the order, and positions that do not belong to the order must be rejected.
func checkHostile(t *testing.T, rng *rand.Rand, b *Build, list []*record.Entity) {
	texts := []string{"", "\x00", "-1", "-0", "+5", "0", "5", "500", "1000", "1001", "0500", "99999999999999999999", "1e2", " 5", "NaN",
		"2024-02-29", "2024-02-30", "0000-01-01", "9999-12-31", "10000-01-01", "2024-02", "\xff\xfe", "tool", "model", "tool\x00a", "zzzz", "elan", "Élan", "日本"}
	number := regexp.MustCompile(`^[+-]?[0-9]+$`)
	sets := someSets(rng, len(list))
	orders := map[string][]uint32{}
	for name, set := range sets {
		for _, s := range allSorts() {
			orders[fmt.Sprint(name, s)] = modelOrder(list, set, s)
		}
	}
	for i := range 3000 {
		text := func() string {
			if rng.IntN(4) == 0 {
				raw := make([]byte, rng.IntN(9))
				for j := range raw {
					raw[j] = byte(rng.IntN(256))
				}
				return string(raw)
			}
			return texts[rng.IntN(len(texts))]
		}
		p := view.Position{Value: text(), Type: text(), Slug: text()}
		s := allSorts()[i%len(allSorts())]
		name := []string{"all", "few", "many", "none"}[rng.IntN(4)]
		set, order := sets[name], orders[fmt.Sprint(name, s)]
		fits := true
		switch {
		case s.Key == "name" || p.Value == "":
		case s.Key == "addedDate" || s.Key == "lastUpdated":
			_, err := time.Parse("2006-01-02", p.Value)
			fits = err == nil
		case s.Key == "price" || s.Key == "context" || strings.HasPrefix(s.Key, "signal."):
			_, err := strconv.ParseInt(p.Value, 10, 64)
			fits = err == nil
		default:
			v, err := strconv.Atoi(p.Value)
			fits = number.MatchString(p.Value) && err == nil && v >= 0 && v <= 1000
		}
		limit := rng.IntN(30)
		got, more, ok := b.Page(set, s, &p, 0, limit)
		if ok != fits {
			t.Fatalf("%q in %+v: ok %v", p, s, ok)
		}
		until := b.Order(s).CountUntil(set, p)
		if !ok {
			if len(got) > 0 || more || until != 0 {
				t.Fatalf("%q in %+v: %v %v %d", p, s, got, more, until)
			}
			continue
		}
		end := min(until+limit, len(order))
		wantOrdinals(t, fmt.Sprintf("behind %q", p), got, order[until:end])
		if more != (end < len(order)) {
			t.Fatalf("after %q: more %v at %d of %d", p, more, end, len(order))
		}
	}
	for range 2000 {
		p := view.Position{Value: texts[rng.IntN(len(texts))], Type: texts[rng.IntN(len(texts))], Slug: texts[rng.IntN(len(texts))]}
		if o, ok := b.SortPositionOf(p); ok && (o < -0.5 || o > float64(b.Len())) {
			t.Fatalf("%q is %v", p, o)
		}
		b.Find(p.Type, p.Slug)
		if set := b.Select(&view.Filter{Fields: map[string][][]string{"tag": {{p.Value}, {}}, "provider": {nil, {p.Type, p.Slug}}}}); !set.IsEmpty() {
			t.Fatalf("%q chose %v", p, set)
		}
	}
}
