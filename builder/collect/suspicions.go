package collect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"kindex/exports/ids"
)

// suspicions are the guards that look at all answers of a source together.
type suspicions struct {
	all     string                     // the reason no answer is used, or ""
	columns map[string]string          // the reason a column is not used, by name
	rows    map[string]string          // the reason an answer is not used, by identifier
	twins   map[string]string          // another identifier with the same counts, by identifier; or with two of them, by identifier and name
	single  map[string]bool            // answers with only one count, by identifier
	equals  map[string]map[float64]int // how many answers have a value, by column
	least   float64
	varies  func(name string) bool // not what somebody chose, so that many entities share it
}

const (
	// minAnswers is the number of answers at which the share of missing values starts to count.
	minAnswers = 10
	// minEqual is the smallest figure that two entities are unlikely to share by chance.
	minEqual = 1000
	// maxDrift is the change, as a share, up to which a figure shared by two entities is not
	// suspicious: it continues what each of them had.
	maxDrift = 0.05
)

// suspect looks at all answers of a source together: at columns that are mostly empty, at rows
// that are incomplete, and at figures that belong to something else.
func (r *run) suspect(a *asking) suspicions {
	g := suspicions{columns: map[string]string{}, rows: map[string]string{}, twins: map[string]string{}, single: map[string]bool{},
		equals: map[string]map[float64]int{}, least: r.config.Guards.Least, varies: func(name string) bool {
			s := r.content.Kinds.Signal(name)
			return s != nil && s.Varies()
		}}
	answers := a.answers()
	for _, col := range a.columns {
		if !col.Always && !col.Mostly {
			continue
		}
		var lacking []string
		for _, answer := range answers {
			// Lists write 0 for stars that they do not know.
			if v, ok := answer.Find(col.Name); !ok || col.Name == "stars" && v.Number == 0 && a.isList() {
				lacking = append(lacking, answer.ID)
			}
		}
		limit := r.bounds(col.Name).Empty
		if len(answers) >= minAnswers && float64(len(lacking)) > float64(len(answers))*limit/100 {
			reason := fmt.Sprintf("%s is missing from %d of %d answers; at most %s%% may lack it", col.Name, len(lacking), len(answers), number(limit))
			g.columns[col.Name] = reason
			if col.Always && g.all == "" {
				g.all = reason
			}
			continue
		}
		for _, id := range lacking {
			if !col.Always {
				break
			}
			g.rows[id] = "the answer is incomplete: it has no " + col.Name
		}
	}
	g.compare(answers)
	return g
}

// answers lists the answers with values, by identifier. Spellings of one identifier count once.
func (a *asking) answers() (list []Answer) {
	seen := map[string]bool{}
	for _, id := range sortedKeys(a.used) {
		if key := ids.Canonical(a.Name, id); !a.used[id].Gone && a.used[id].Offer == nil && !seen[key] {
			seen[key] = true
			list = append(list, a.used[id])
		}
	}
	return list
}

// compare finds figures that several identifiers share: all of them, or two large ones, such as stars and
// forks, which the source has mixed up.
func (g *suspicions) compare(answers []Answer) {
	seen := map[string]string{} // identifier by what it has
	share := func(what, id string, names ...string) {
		other, twice := seen[what]
		seen[what] = id
		for _, name := range names {
			if twice {
				g.twins[id+name], g.twins[other+name] = other, id
			}
		}
	}
	for _, answer := range answers {
		counts := slices.DeleteFunc(slices.Clone(answer.Values), func(v Value) bool { return !g.varies(v.Name) || v.Number < g.least })
		slices.SortFunc(counts, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
		all, largest := "", 0.0
		for i, a := range counts {
			text := a.Name + "=" + number(a.Number)
			all, largest = all+" "+text, max(largest, a.Number)
			if g.equals[a.Name] == nil {
				g.equals[a.Name] = map[float64]int{}
			}
			g.equals[a.Name][a.Number]++
			for _, b := range counts[:i] {
				if min(a.Number, b.Number) >= minEqual {
					share(text+" "+b.Name+"="+number(b.Number), answer.ID, " "+a.Name, " "+b.Name)
				}
			}
		}
		if g.single[answer.ID] = len(counts) < 2; len(counts) >= 2 && largest >= minEqual { // two small projects can well have the same figures
			share(all, answer.ID, "")
		}
	}
}

// broken returns the reason an answer, a column or all answers are not used, or "". If what every
// answer has is missing in many of them, the source has not read the others either: lists then
// have figures of long ago.
func (g *suspicions) broken(t target, v Value) string {
	return cmp.Or(g.columns[v.Name], g.all, g.rows[t.id])
}

// of returns the reason not to use a value, or "".
func (g *suspicions) of(t target, answer *Answer, v Value, held any) string {
	broken := g.broken(t, v)
	switch {
	case broken != "":
		return broken
	case !g.varies(v.Name):
		return ""
	case g.twins[t.id] != "":
		return "all its counts equal those of " + g.twins[t.id]
	case g.twins[t.id+" "+v.Name] != "":
		return "it equals that of " + g.twins[t.id+" "+v.Name] + ", like another count"
	}
	for _, name := range sortedKeys(answer.Beside) {
		if answer.Beside[name] == v.Number && v.Number > 1 && sameWord(name, v.Name) {
			return "it equals " + name + ", a figure from another registry"
		}
	}
	old, known := held.(float64)
	drifted := !known || math.Abs(v.Number-old) > maxDrift*max(old, 1)
	if g.single[t.id] && g.equals[v.Name][v.Number] > 1 && v.Number >= minEqual && drifted {
		return "it equals the figure of another entity"
	}
	return ""
}

// sameWord reports whether a column of a list, such as dockerhub_stars, has the name of a
// signal in it.
func sameWord(column, signal string) bool {
	word := strings.TrimSuffix(strings.ToLower(signal), "s")
	for _, prefix := range []string{"pypi", "npm", "conda", "docker", "huggingface"} {
		word = strings.TrimPrefix(word, prefix)
	}
	return strings.Contains(strings.ToLower(column), word)
}
