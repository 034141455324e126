package pages

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/record"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/exports/where"
	"kindex/site/form"
)

const (
	maxValueLen = 100 // bytes of a value of a form
	maxOptions  = 500 // values that a field suggests
	maxChoices  = 30  // values of a declared field from which a form lets choose; of more, it suggests them
	maxUnfolded = 16  // fields that a form shows without folding
)

// filters are the filters of a list, as filled in, and what they select.
type filters struct {
	Fields []formField
	Folded int      // how many of them, the last ones, are folded unless one is in use
	Chosen []option // the filters in use; each links to the list without it
	Action string
	Sort   string // kept by the form
	Wrong  bool   // a value is invalid or matches nothing, as its field says; an invalid one filters nothing

	of     []*kinds.Kind
	set    *roaring.Bitmap // entities
	offers view.OfferFilter
}

// formField is a field of a form, as filled in.
type formField struct {
	Name, Label, Hint string
	Value             string
	Known             []string // values to suggest
	Options           []option // all values, if there is a choice
	Wrong             string   // what is wrong with the value, or "" if it is valid
	invalid           bool     // the value filters nothing
	Near              []link
}

// Described returns the IDs of the elements that describe the field.
func (x formField) Described() (ids string) {
	if x.Hint != "" {
		ids = "p-" + x.Name + "-hint"
	}
	if x.Wrong != "" {
		ids += " p-" + x.Name + "-wrong"
	}
	return strings.TrimSpace(ids)
}

// Shown returns the value as people read it.
func (x formField) Shown() string {
	for _, o := range x.Options {
		if o.Chosen {
			return o.Name
		}
	}
	return x.Value
}

// First returns the fields that are not folded, and More those that are.
func (f *filters) First() []formField { return f.Fields[:len(f.Fields)-f.Folded] }

// More returns the fields that are folded.
func (f *filters) More() []formField { return f.Fields[len(f.Fields)-f.Folded:] }

// Unfolds reports whether one of the folded fields is in use.
func (f *filters) Unfolds() bool {
	return slices.ContainsFunc(f.More(), func(x formField) bool { return x.Value != "" })
}

// value returns a value of the query, shortened to what a form accepts.
func (r *request) value(name string) string {
	text := r.Query.Get(name)
	return strings.TrimSpace(safetext.OneLine(strings.ToValidUTF8(text[:min(len(text), maxValueLen)], "")))
}

// add adds a field with its value.
func (f *filters) add(r *request, x formField) *formField {
	x.Value = r.value(x.Name)
	if !markChosen(x.Options, x.Value) && len(x.Options) > 0 && x.Value != "" {
		x.Wrong, x.invalid = "Choose a value from the list.", true
	}
	f.Fields = append(f.Fields, x)
	return &f.Fields[len(f.Fields)-1]
}

// finish notes which filters are in use. The query keeps only them and the order.
func (f *filters) finish(r *request) {
	q := url.Values{}
	for _, x := range f.Fields {
		if x.Value != "" {
			q.Set(x.Name, x.Value)
		}
		f.Wrong = f.Wrong || x.Wrong != ""
	}
	if f.Sort = r.value("sort"); f.Sort != "" {
		q.Set("sort", f.Sort)
	}
	r.Query = q
	for _, x := range f.Fields {
		if x.Value != "" && !x.invalid {
			f.Chosen = append(f.Chosen, option{Name: x.Label + ": " + r.valueTitle(x.Name, x.Shown()), To: r.asked(x.Name, "")})
		}
	}
	f.Action = r.route.path(r.args, nil)
}

// unfiltered returns the filters of the list of some kinds or, with offered, of their offers, before they are
// read. The pages of a static site have no others.
func (r *request) unfiltered(of []*kinds.Kind, offered bool) *filters {
	f, types := &filters{of: of, offers: view.OfferFilter{AnyContext: !offered}}, only()
	types.Fields["type"] = each(of, func(k *kinds.Kind) []string { return []string{k.Name} })
	if f.set = r.Build.Select(types); offered {
		f.keep(r, func(e *record.Entity) bool { return len(e.Offers) > 0 })
	}
	return f
}

func (f *filters) read(r *request) {
	all, asked, offered := f.set.Clone(), &where.Params{Given: map[string][]string{}}, !f.offers.AnyContext
	if offered {
		f.addModel(r, all)
	} else {
		f.addName(r, formField{Name: "name", Label: map[bool]string{true: "Name or maker", false: "Name"}[len(r.Build.Values(byProvider.Field)) > 0]}, "Nothing has this name.")
	}
	for _, leaf := range r.kinds().Leaves() {
		shown := !offered && !leaf.IsNumber() && !leaf.IsDay() && // the list has a column of it
			slices.ContainsFunc(f.of, func(k *kinds.Kind) bool { return slices.Contains(k.Columns, leaf.Path) })
		if leaf.Filter && f.has(leaf) && (leaf.Choices() != nil || shown) {
			f.choose(r, all, asked, leaf.Query, leaf.Title)
		}
	}
	if slices.ContainsFunc(f.of, func(k *kinds.Kind) bool { return k.HasBlock(kinds.Offers) }) {
		f.ask(r, asked, formField{Name: "maxInput", Label: "Input price at most, $"})
		f.ask(r, asked, formField{Name: "maxOutput", Label: "Output price at most, $"})
		f.ask(r, asked, formField{Name: "minContext", Label: "Context at least", Hint: "tokens, such as 200k"})
	}
	if !offered {
		f.addNumbers(r, asked)
		f.choose(r, all, asked, "category", "Category")
		if f.of[0].HasBlock(kinds.Maintenance) {
			f.choose(r, all, asked, "maintenance", "Maintenance")
		}
		f.choose(r, all, asked, "license", "Licence")
		f.addRest(r, all, asked)
	}
	f.apply(r, asked)
	f.finish(r)
}

// addRest adds the other filters of the kind, folded if there are many fields, and those of every entity that the query names.
func (f *filters) addRest(r *request, all *roaring.Bitmap, asked *where.Params) {
	first := len(f.Fields)
	for _, name := range view.FilterFields(r.kinds()) {
		leaf, has := r.facetOf(name), slices.ContainsFunc(f.Fields, func(x formField) bool { return x.Name == name })
		if !has && name != "type" && (leaf != nil && f.has(leaf) || r.value(name) != "") {
			f.choose(r, all, asked, name, r.filterTitle(name))
		}
	}
	if len(f.Fields) > maxUnfolded {
		f.Folded = len(f.Fields) - first
	}
}

func (f *filters) has(leaf *kinds.Field) bool {
	return slices.ContainsFunc(f.of, func(k *kinds.Kind) bool { return k.Has(leaf) })
}

// keep removes the entities that a function does not want.
func (f *filters) keep(r *request, wanted func(*record.Entity) bool) {
	for _, o := range f.set.ToArray() {
		if !wanted(r.Build.Entity(o)) {
			f.set.Remove(o)
		}
	}
}

// ask adds a field whose value is a parameter of the API.
func (f *filters) ask(r *request, asked *where.Params, x formField) *formField {
	added := f.add(r, x)
	if added.Value != "" && added.Wrong == "" {
		asked.Given[x.Name] = []string{added.Value}
	}
	return added
}

// choose adds a field with a choice among the values that entities have or, if a declared field has many, with
// suggestions.
func (f *filters) choose(r *request, all *roaring.Bitmap, asked *where.Params, field, label string) {
	x, leaf := formField{Name: field, Label: label}, r.facetOf(field)
	counts := r.Build.Facet(all, field, maxOptions)
	x.Options = each(counts, func(c view.FacetCount) option {
		return option{Name: r.valueTitle(field, c.Value), Value: c.Value, Count: c.Count}
	})
	some := leaf != nil && len(counts) == 1 && counts[0].Count < int(all.GetCardinality())
	if len(counts) < 2 && !some && r.value(field) == "" {
		return
	}
	if leaf == nil || leaf.Choices() != nil {
		f.ask(r, asked, x)
		return
	}
	text, _ := r.Build.Preferred(field, r.value(field))
	folded := record.Fold(text)
	values := each(firstMatches(x.Options, // by the value, by its title or, for the address of an entity, by its slug
		func(o option) bool { return record.Fold(o.Value) == folded },
		func(o option) bool { return record.Fold(o.Name) == folded },
		func(o option) bool { return o.Value[strings.Index(o.Value, "/")+1:] == folded }), func(o option) string { return o.Value })
	if len(counts) <= maxChoices && len(values) == 1 { // a choice may be named in other words
		r.Query.Set(field, values[0])
	}
	if len(counts) > maxChoices || len(values) != 1 && r.value(field) != "" {
		x.Known, x.Options = each(x.Options, func(o option) string { return o.Name }), nil
	}
	if added := f.ask(r, asked, x); len(values) > 0 {
		asked.Given[field] = values
	} else if added.Value != "" && !(leaf.Splits() && strings.Contains(added.Value, ",")) {
		added.Wrong, added.Near = "Nothing has this value.", r.nearby(field, didyoumean.Names(added.Value, added.Known, maxNear))
		delete(asked.Given, field)
		f.set.Clear()
	}
}

// addName adds a field for a name, and narrows the list down to what it names.
func (f *filters) addName(r *request, x formField, none string) {
	if x := f.add(r, x); x.Value != "" {
		found, near := r.named(f.of, x.Value)
		if f.set.And(found); found.IsEmpty() {
			x.Wrong, x.Near = none, r.nearby(x.Name, near)
		}
	}
}

// addModel adds fields for what is offered, and for who offers it.
func (f *filters) addModel(r *request, all *roaring.Bitmap) {
	if model := f.add(r, formField{Name: "model", Label: f.of[0].Title}); model.Value != "" {
		ordinals, near := r.modelsNamed(model.Value, "model")
		if f.set.And(roaring.BitmapOf(ordinals...)); len(ordinals) == 0 {
			model.Wrong, model.Near = "No "+strings.ToLower(f.of[0].Title)+" has this name.", near
		}
	}
	for _, leaf := range r.kinds().Leaves() {
		if leaf.Filter && f.has(leaf) && leaf.Type == kinds.Slug {
			x := formField{Name: leaf.Query, Label: leaf.Title + " or maker"}
			x.Known = each(r.Build.Facet(all, leaf.Query, maxOptions), func(c view.FacetCount) string { return c.Value })
			f.addName(r, x, "No "+strings.ToLower(leaf.Title)+", maker or "+strings.ToLower(f.of[0].Title)+" has this name.")
		}
	}
	values := r.Build.Offers().Providers()
	if provider := f.add(r, formField{Name: "provider", Label: "Provider", Known: values[:min(len(values), maxOptions)]}); provider.Value != "" {
		sellers := r.sellers(provider.Value)
		if f.offers.Fields = map[string][]string{"provider": sellers}; sellers == nil {
			f.set.Clear()
			provider.Wrong, provider.Near = "No provider has this name.", r.nearby("provider", didyoumean.Names(provider.Value, values, maxNear))
		}
	}
}

// limitHints say how the limits of some types are written.
var limitHints = map[kinds.Type]string{kinds.Size: "such as 24 GB", kinds.Duration: "such as 1h30m", kinds.Date: "such as 2024-06-30", kinds.Month: "such as 2024-06"}

// addNumbers adds the limits of declared numbers and days. Those of a range stand together, with its title.
func (f *filters) addNumbers(r *request, asked *where.Params) {
	for _, leaf := range r.kinds().Leaves() {
		lowest, highest := leaf.Limits()
		title, unit := leaf.Title, leaf.UnitShown()
		if g := leaf.Group; g != nil && g.Type == kinds.Range {
			title = g.Title
			if lowest, _ = g.Parts[1].Limits(); leaf != g.Parts[0] {
				continue
			}
		}
		for i, name := range []string{lowest, highest} {
			if name != "" && f.has(leaf) {
				f.ask(r, asked, formField{Name: name, Label: title + []string{" at least", " at most"}[i], Hint: cmp.Or(limitHints[leaf.Type], unit)})
			}
		}
	}
}

// apply selects what matches the parameters of the API. An invalid one is noted at its field.
func (f *filters) apply(r *request, asked *where.Params) {
	read := func() *view.Filter {
		f.offers.MaxInput, f.offers.MaxOutput, f.offers.MinContext = asked.Price("maxInput"), asked.Price("maxOutput"), asked.Count("minContext", 0, 1, 1<<31)
		if !f.offers.AnyContext { // otherwise, an offer that does not state a context has that of the entity
			delete(asked.Given, "minContext")
		}
		return asked.Filter(slices.Sorted(maps.Keys(r.titles)), r.Build)
	}
	filter := read()
	for {
		bad, ok := asked.Err.(*where.Error) //nolint:errorlint // package where never wraps it
		if !ok {
			break
		}
		asked.Err = nil
		delete(asked.Given, bad.Param)
		if i := slices.IndexFunc(f.Fields, func(x formField) bool { return x.Name == bad.Param }); i >= 0 {
			f.Fields[i].Wrong, f.Fields[i].invalid = form.Sentence(bad.Message), true
			if bad.Suggestion != "" {
				f.Fields[i].Wrong += " Did you mean " + bad.Suggestion + "?"
			}
		}
		filter = read()
	}
	f.set.And(r.Build.Select(filter))
	if asked.Has("maxInput") || asked.Has("maxOutput") {
		f.keep(r, func(e *record.Entity) bool { return f.cheapest(r.Build.OffersOf(e)) != nil })
	}
}

// nearby returns links to the list with other values of a parameter.
func (r *request) nearby(name string, values []string) []link {
	return each(values, func(v string) link { return link{To: r.asked(name, v), Name: v} })
}
