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
	run     *run
	all     string            // the reason no answer is used, or ""
	columns map[string]string // the reason a column is not used, by name
	rows    map[string]string // the reason an answer is not used, by identifier
	twins   map[string]string // another identifier with the same counts, by identifier; or with two of them, by identifier and name
	single  map[string]bool   // answers with only one count, by identifier
	equals  map[string]int    // how many answers have a value, by column and value
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

// suspect finds columns that are mostly empty, rows that are incomplete, and figures of something else.
func (r *run) suspect(a *asking) suspicions {
	g := suspicions{r, "", map[string]string{}, map[string]string{}, map[string]string{}, map[string]bool{}, map[string]int{}}
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
		switch {
		case len(answers) >= minAnswers && float64(len(lacking)) > float64(len(answers))*limit/100:
			reason := fmt.Sprintf("%s is missing from %d of %d answers; at most %s%% may lack it", col.Name, len(lacking), len(answers), number(limit))
			if g.columns[col.Name] = reason; col.Always {
				g.all = cmp.Or(g.all, reason)
			}
		case col.Always:
			for _, id := range lacking {
				g.rows[id] = "the answer is incomplete: it has no " + col.Name
			}
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

// varies reports whether a value is not what somebody chose, so that many entities share it.
func (g *suspicions) varies(name string) bool {
	s := g.run.content.Kinds.Signal(name)
	return s != nil && s.Varies()
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
		counts := slices.DeleteFunc(slices.Clone(answer.Values), func(v Value) bool { return !g.varies(v.Name) || v.Number < g.run.config.Guards.Least })
		slices.SortFunc(counts, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
		all, largest := "", 0.0
		for i, a := range counts {
			all, largest = all+" "+a.shown(), max(largest, a.Number)
			g.equals[a.shown()]++
			for _, b := range counts[:i] {
				if min(a.Number, b.Number) >= minEqual {
					share(a.shown()+" "+b.shown(), answer.ID, " "+a.Name, " "+b.Name)
				}
			}
		}
		if g.single[answer.ID] = len(counts) < 2; len(counts) >= 2 && largest >= minEqual { // two small projects can well have the same figures
			share(all, answer.ID, "")
		}
	}
}

func (v *Value) shown() string { return v.Name + "=" + number(v.Number) }

// broken returns the reason an answer, a column or all answers are not used, or "". If what every
// answer has is missing in many of them, the source has not read the others either: lists then
// have figures of long ago.
func (g *suspicions) broken(t target, v Value) string {
	return cmp.Or(g.columns[v.Name], g.all, g.rows[t.id])
}

// of returns the reason not to use a value, or "".
func (g *suspicions) of(t target, answer *Answer, v Value, held any) string {
	twin, partly := g.twins[t.id], g.twins[t.id+" "+v.Name]
	switch broken := g.broken(t, v); {
	case broken != "" || !g.varies(v.Name):
		return broken
	case twin != "":
		return "all its counts equal those of " + twin
	case partly != "":
		return "it equals that of " + partly + ", like another count"
	}
	for _, name := range sortedKeys(answer.Beside) {
		if answer.Beside[name] == v.Number && v.Number > 1 && sameWord(name, v.Name) {
			return "it equals " + name + ", a figure from another registry"
		}
	}
	old, known := held.(float64)
	drifted := !known || math.Abs(v.Number-old) > maxDrift*max(old, 1)
	if g.single[t.id] && g.equals[v.shown()] > 1 && v.Number >= minEqual && drifted {
		return "it equals the figure of another entity"
	}
	return ""
}

// sameWord reports whether a column of a list, such as dockerhub_stars, has the name of a signal in it.
func sameWord(column, signal string) bool {
	word := strings.TrimSuffix(strings.ToLower(signal), "s")
	for _, prefix := range []string{"pypi", "npm", "conda", "docker", "huggingface"} {
		word = strings.TrimPrefix(word, prefix)
	}
	return strings.Contains(strings.ToLower(column), word)
}
