package pages

import (
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maxTerms is how many values a page lists; more are a page for each letter.
const maxTerms = 500

// termsPage lists the values of a kind.
type termsPage struct {
	*kind
	Title      string // the heading of the page
	Total      int
	Letter     string // that the page is about, "" for all
	Whole      bool   // all are on the page
	Frequent   []term // where there are many others
	Letters    []option
	Groups     []termGroup
	Others     []option // the other kinds that have such a list
	Prev, Next string
}

// termGroup are the values with the same first letter.
type termGroup struct {
	Letter string
	Terms  []term
}

// letterOf is the group of a value: a letter, "0" for a digit or "other".
func letterOf(v term) string {
	switch r, _ := utf8.DecodeRuneInString(v.folded); {
	case r >= 'a' && r <= 'z':
		return string(r)
	case r >= '0' && r <= '9':
		return "0"
	}
	return "other"
}

// letterTitle is how people read a letter of letterOf.
func letterTitle(letter string) string {
	if letter == "0" {
		return "0–9"
	}
	return upper(letter)
}

// sortIn lists the values that lists have by their letters.
func (t *terms) sortIn() {
	t.listed = map[string][]int{}
	for at, v := range t.all {
		if v.Count == 0 {
			continue
		}
		letter := letterOf(v)
		if t.listed[letter] == nil {
			t.letters = append(t.letters, option{Name: letterTitle(letter), Value: letter})
		}
		t.listed[""], t.listed[letter] = append(t.listed[""], at), append(t.listed[letter], at)
	}
	for i := range t.letters {
		t.letters[i].Count = len(t.listed[t.letters[i].Value])
	}
	slices.SortStableFunc(t.letters, func(a, b option) int {
		switch {
		case a.Value == "other":
			return 1
		case b.Value == "other":
			return -1
		}
		return 0
	})
}

// letterPath is a page of the values of a letter. Its address cannot be that of a
// value: the list of a value has no letters to choose.
func (k *kind) letterPath(letter string, page int) string {
	choices := map[string]string{"letter": letter}
	if page > 1 {
		choices["page"] = strconv.Itoa(page)
	}
	return (&route{pattern: k.Path + "all/", choices: []string{"letter", "page"}}).path(nil, choices)
}

// termList is the list of all values of a kind, or of those of a letter.
func termList(k *kind) func(*request) (*page, error) {
	return func(r *request) (*page, error) {
		all, err := r.terms(k)
		if err != nil {
			return nil, err
		}
		number, ok := r.chosenPage()
		d := &termsPage{kind: k, Title: upper(k.Many), Total: all.used, Letter: r.choice("letter"), Letters: slices.Clone(all.letters)}
		d.Whole = d.Total <= maxTerms
		inAll := r.Path != k.Path
		if !ok || inAll && (d.Whole || d.Letter == "") {
			return r.nothing(), nil
		}
		list := all.listed[d.Letter]
		if inAll && (number-1)*maxTerms >= len(list) {
			return r.nothing(), nil
		}
		if d.Whole || inAll {
			for _, at := range list[(number-1)*maxTerms : min(number*maxTerms, len(list))] {
				d.group(all.all[at])
			}
			d.sortGroups()
		}
		for i := range d.Letters {
			o := &d.Letters[i]
			o.To = k.letterPath(o.Value, 1)
			o.Chosen = inAll && o.Value == d.Letter
		}
		if !inAll && d.Total > mostFrequent {
			for _, i := range all.frequent {
				d.Frequent = append(d.Frequent, all.all[i])
			}
		}
		if inAll {
			d.Title += ": " + letterTitle(d.Letter)
			if number > 1 {
				d.Prev = k.letterPath(d.Letter, number-1)
			}
			if number*maxTerms < len(list) {
				d.Next = k.letterPath(d.Letter, number+1)
			}
		}
		for _, o := range []*kind{byProvider, byTag, byCapability} {
			d.Others = append(d.Others, option{Name: upper(o.Many), To: o.Path, Chosen: o == k})
		}
		return &page{Template: "terms", Title: d.Title, Data: d, Description: "All " + plural(d.Total, k.One, k.Many) + " of the index."}, nil
	}
}

// group puts a value under its letter.
func (d *termsPage) group(v term) {
	letter := letterOf(v)
	at := slices.IndexFunc(d.Groups, func(g termGroup) bool { return g.Letter == letter })
	if at < 0 {
		at = len(d.Groups)
		d.Groups = append(d.Groups, termGroup{Letter: letter})
	}
	d.Groups[at].Terms = append(d.Groups[at].Terms, v)
}

// sortGroups puts the letters in their order.
func (d *termsPage) sortGroups() {
	slices.SortStableFunc(d.Groups, func(a, b termGroup) int {
		return slices.IndexFunc(d.Letters, func(o option) bool { return o.Value == a.Letter }) -
			slices.IndexFunc(d.Letters, func(o option) bool { return o.Value == b.Letter })
	})
}

// letterPaths are the pages of all letters, as a static site has them.
func letterPaths(k *kind) func(*Site) iter.Seq[string] {
	return func(s *Site) iter.Seq[string] {
		return func(yield func(string) bool) {
			t, err := s.terms(k)
			if err != nil || t.used <= maxTerms {
				return
			}
			for _, l := range t.letters {
				for page := 1; (page-1)*maxTerms < l.Count; page++ {
					if !yield(k.letterPath(l.Value, page)) {
						return
					}
				}
			}
		}
	}
}
