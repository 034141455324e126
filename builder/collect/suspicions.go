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
	all     string                       // the reason no answer is used, or ""
	columns map[string]string            // the reason a column is not used, by name
	rows    map[string]string            // the reason an answer is not used, by identifier
	twins   map[string]string            // another identifier with the same counts, by identifier
	pairs   map[string]string            // another identifier with the same two large counts, by identifier and name
	single  map[string]bool              // answers with only one count, by identifier
	equals  map[string]map[float64]count // by column and value
	least   float64
	varies  func(name string) bool // not what somebody chose, so that many entities share it
}

// count is how many identifiers have a value, and one of them.
type count struct {
	n  int
	id string
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
	g := suspicions{columns: map[string]string{}, rows: map[string]string{}, twins: map[string]string{}, pairs: map[string]string{}, single: map[string]bool{},
		equals: map[string]map[float64]count{}, least: r.config.Guards.Least, varies: func(name string) bool {
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
			if v, ok := answer.Find(col.Name); !ok || col.Name == "stars" && v.Number == 0 && a.info.Listed {
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
		if key := ids.Canonical(a.info.Name, id); !a.used[id].Gone && a.used[id].Offer == nil && !seen[key] {
			seen[key] = true
			list = append(list, a.used[id])
		}
	}
	return list
}

// compare finds figures that several identifiers share.
func (g *suspicions) compare(answers []Answer) {
	first := map[string]string{} // identifier by its counts
	pairs := map[string]string{} // identifier by two of its large counts
	for _, answer := range answers {
		var counts []string
		largest := 0.0
		for _, v := range answer.Values {
			if !g.varies(v.Name) || v.Number < g.least {
				continue
			}
			counts, largest = append(counts, v.Name+"="+number(v.Number)), max(largest, v.Number)
			if g.equals[v.Name] == nil {
				g.equals[v.Name] = map[float64]count{}
			}
			c := g.equals[v.Name][v.Number]
			g.equals[v.Name][v.Number] = count{c.n + 1, answer.ID}
		}
		if len(counts) < 2 {
			g.single[answer.ID] = true
		}
		g.comparePairs(pairs, &answer)
		if len(counts) < 2 || largest < minEqual {
			continue // two small projects can well have the same figures
		}
		slices.Sort(counts)
		key := strings.Join(counts, " ")
		if other, twice := first[key]; twice {
			g.twins[answer.ID], g.twins[other] = other, answer.ID
		}
		first[key] = answer.ID
	}
}

// comparePairs finds two large counts, such as stars and forks, that two identifiers share: the source has
// mixed them up.
func (g *suspicions) comparePairs(pairs map[string]string, answer *Answer) {
	var large []Value
	for _, v := range answer.Values {
		if g.varies(v.Name) && v.Number >= minEqual {
			large = append(large, v)
		}
	}
	slices.SortFunc(large, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
	for i, a := range large {
		for _, b := range large[:i] {
			pair := b.Name + "=" + number(b.Number) + " " + a.Name + "=" + number(a.Number)
			other, twice := pairs[pair]
			pairs[pair] = answer.ID
			for _, name := range []string{a.Name, b.Name} {
				if twice {
					g.pairs[answer.ID+" "+name], g.pairs[other+" "+name] = other, answer.ID
				}
			}
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
	case g.pairs[t.id+" "+v.Name] != "":
		return "it equals that of " + g.pairs[t.id+" "+v.Name] + ", like another count"
	}
	for _, name := range sortedKeys(answer.Beside) {
		if answer.Beside[name] == v.Number && v.Number > 1 && sameWord(name, v.Name) {
			return "it equals " + name + ", a figure from another registry"
		}
	}
	old, known := held.(float64)
	drifted := !known || math.Abs(v.Number-old) > maxDrift*max(old, 1)
	if c := g.equals[v.Name][v.Number]; g.single[t.id] && c.n > 1 && v.Number >= minEqual && drifted {
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
