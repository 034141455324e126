package pages

import (
	"slices"
	"strconv"

	"kindex/site/textfmt"
)

// maxFacetValues is the maximum number of values on a page. If a field has more values, each
// letter has its own pages.
const maxFacetValues = 500

// facetPage lists the values of a field.
type facetPage struct {
	*facetKind
	Title      string // the heading of the page
	Total      int
	Letter     string       // letter of the page, or "" for all letters
	Whole      bool         // all values are on the page
	Frequent   []facetValue // the most frequent values, if there are many more
	Letters    []option
	Groups     []letterGroup
	Others     []option // the fields with such a list, including this one
	Prev, Next string
}

// letterGroup holds the values with the same first letter.
type letterGroup struct {
	Letter string
	Terms  []facetValue
}

// letterPath returns the path of a page with the values of a letter. It cannot clash with
// the path of a value, because the paths of values never contain a letter choice.
func (k *facetKind) letterPath(letter string, page int) string {
	choices := map[string]string{"letter": letter}
	if page > 1 {
		choices["page"] = strconv.Itoa(page)
	}
	return (&route{pattern: k.Path + "all/", choices: []string{"letter", "page"}}).path(nil, choices)
}

// facetList lists all values of a field, or those of a letter.
func facetList(k *facetKind) func(*request) (*page, error) {
	return func(r *request) (*page, error) {
		all, err := r.facetValues(k)
		if err != nil {
			return nil, err
		}
		number, ok := r.chosenPage()
		d := &facetPage{facetKind: k, Title: textfmt.Capitalize(k.Many), Total: all.used, Letter: r.choice("letter"), Letters: slices.Clone(all.letters)}
		d.Whole = d.Total <= maxFacetValues
		inAll := r.Path != k.Path
		if !ok || inAll && (d.Whole || d.Letter == "") {
			return r.notFound(), nil
		}
		list := all.listed[d.Letter]
		if inAll && (number-1)*maxFacetValues >= len(list) {
			return r.notFound(), nil
		}
		if d.Whole || inAll {
			for _, at := range list[(number-1)*maxFacetValues : min(number*maxFacetValues, len(list))] {
				d.group(all.all[at])
			}
			d.sortGroups()
		}
		for i := range d.Letters {
			o := &d.Letters[i]
			o.To = k.letterPath(o.Value, 1)
			o.Chosen = inAll && o.Value == d.Letter
		}
		if !inAll && d.Total > maxFrequent {
			for _, i := range all.frequent {
				d.Frequent = append(d.Frequent, all.all[i])
			}
		}
		if inAll {
			d.Title += ": " + letterTitle(d.Letter)
			if number > 1 {
				d.Prev = k.letterPath(d.Letter, number-1)
			}
			if number*maxFacetValues < len(list) {
				d.Next = k.letterPath(d.Letter, number+1)
			}
		}
		for _, o := range facetKinds {
			d.Others = append(d.Others, option{Name: textfmt.Capitalize(o.Many), To: o.Path, Chosen: o == k})
		}
		return &page{Template: "facet-values", Title: d.Title, Data: d, Description: "All " + textfmt.Plural(d.Total, k.One, k.Many) + " in the index."}, nil
	}
}

// group adds a value to the group of its letter.
func (d *facetPage) group(v facetValue) {
	letter := letterOf(v)
	at := slices.IndexFunc(d.Groups, func(g letterGroup) bool { return g.Letter == letter })
	if at < 0 {
		at = len(d.Groups)
		d.Groups = append(d.Groups, letterGroup{Letter: letter})
	}
	d.Groups[at].Terms = append(d.Groups[at].Terms, v)
}

// sortGroups sorts the groups by letter.
func (d *facetPage) sortGroups() {
	slices.SortStableFunc(d.Groups, func(a, b letterGroup) int {
		return slices.IndexFunc(d.Letters, func(o option) bool { return o.Value == a.Letter }) -
			slices.IndexFunc(d.Letters, func(o option) bool { return o.Value == b.Letter })
	})
}
