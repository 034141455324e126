package pages

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kindex/exports/didyoumean"
	"kindex/exports/kinds"
	"kindex/exports/pricing"
	"kindex/exports/record"
	"kindex/exports/resolve"
	"kindex/exports/safetext"
	"kindex/exports/view"
	"kindex/exports/where"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

const (
	offerRows    = 50
	pricesPath   = "/prices/"
	maxValueLen  = 100 // bytes of a value of the page's forms
	maxProviders = 500 // providers and families that a form suggests
)

// offerOrders are the orders of offers, with their names in the URL.
var offerOrders = []struct{ Name, Title string }{
	{"blended", "Blended price"}, {"input", "Input price"}, {"output", "Output price"},
}

// pricesPage lists offers and calculates what using a model costs.
type pricesPage struct {
	Total       int // offers in the index
	Found       int // offers that match
	First, Last int
	Rows        []priceRow
	Fields      []formField // of the filters
	Chosen      string      // the filters in use, as filled in
	Sorts       []option
	Sort        string
	Prev, Next  string
	Wrong       bool // a filter is invalid, so no offers are shown
	Cost        *costForm
}

// priceRow is an offer with its model.
type priceRow struct {
	*record.Offer
	Type, Slug, Name string
	Seller           string // name of the provider
	Blended          record.Price
}

// Path returns the path of the model's page.
func (o priceRow) Path() string { return siteurl.Entity(o.Type, o.Slug) }

// Calculate returns the address of the calculator for the model.
func (o priceRow) Calculate() string {
	return pricesPath + "?" + url.Values{"calculate": {o.Slug}}.Encode() + "#calculator"
}

// namedPrice is a price with the heading of its column.
type namedPrice struct {
	Name string
	record.Price
}

// Prices returns the input, output and blended price.
func (o priceRow) Prices() []namedPrice {
	return []namedPrice{{"Input", o.Offer.Prices[record.InputPrice]}, {"Output", o.Offer.Prices[record.OutputPrice]}, {"Blended", o.Blended}}
}

// formField is a field of a form, as filled in.
type formField struct {
	Name, Label, Hint string
	Value             string
	Kind              string   // text, decimal or numeric
	Known             []string // values to suggest or, for a choice, all values
	Choice            bool
	Wrong             string // what is wrong with the value, or "" if it is valid
	Near              []suggestion
}

// Described returns the IDs of the elements that describe the field.
func (x formField) Described() string {
	var ids []string
	if x.Hint != "" {
		ids = append(ids, "p-"+x.Name+"-hint")
	}
	if x.Wrong != "" {
		ids = append(ids, "p-"+x.Name+"-wrong")
	}
	return strings.Join(ids, " ")
}

// prices shows the offers that match the query and, if it asks for one, a calculation. A
// static site shows the cheapest offers only, because both need an edge.
func (r *request) prices() (*page, error) {
	p := &page{Template: "prices", Title: "Prices", Canonical: pricesPath, NoIndex: len(r.Query) > 0,
		Description: "What providers charge for models, and what your usage costs at each of them."}
	d := &pricesPage{}
	p.Data = d
	if r.Static {
		r.Query = nil
	}
	offers := r.Build.Offers()
	d.Total = offers.Select(&view.OfferFilter{}).Len()
	filter, err := r.offerFilter(d, offers)
	if err != nil {
		return nil, err
	}
	if d.Cost, err = r.calculate(); err != nil || d.Wrong {
		return p, err
	}
	r.listOffers(d, offers.Select(filter))
	return p, nil
}

// value returns a value of the query, shortened to what the page accepts.
func (r *request) value(name string) string {
	text := r.Query.Get(name)
	return strings.TrimSpace(safetext.OneLine(strings.ToValidUTF8(text[:min(len(text), maxValueLen)], "")))
}

// offerFilter reads the filters and fills in the fields of their form.
func (r *request) offerFilter(d *pricesPage, offers *view.Offers) (*view.OfferFilter, error) {
	f := &view.OfferFilter{}
	d.Fields = make([]formField, 0, 7) // so that pointers to the fields stay valid
	field := func(x formField) *formField {
		x.Value = r.value(x.Name)
		d.Fields = append(d.Fields, x)
		return &d.Fields[len(d.Fields)-1]
	}
	model := field(formField{Name: "model", Label: "Model", Kind: "text"})
	if model.Value != "" {
		ordinals, near := r.modelsNamed(model.Value, "model")
		if f.Models = ordinals; len(ordinals) == 0 {
			model.Wrong, model.Near = "No model has this name.", near
		}
	}
	names := r.pricedNames()
	family := field(formField{Name: "family", Label: "Family or maker", Kind: "text", Known: firstOf(offers.Values("family"))})
	if family.Value != "" {
		var models []uint32
		if f.Families, models = names.family(family.Value); models != nil {
			if f.Models != nil {
				models = slices.DeleteFunc(slices.Clone(f.Models), func(o uint32) bool { return !slices.Contains(models, o) })
			}
			f.Models = models
		} else if f.Families == nil {
			family.Wrong, family.Near = "No family, maker or model with offers has this name.", priceSuggestions("family", didyoumean.Names(family.Value, names.families(), maxNear))
		}
	}
	provider := field(formField{Name: "provider", Label: "Provider", Kind: "text", Known: firstOf(offers.Values("provider"))})
	if provider.Value != "" {
		if f.Providers = names.provider(provider.Value); f.Providers == nil {
			provider.Wrong, provider.Near = "No provider has this name.", priceSuggestions("provider", didyoumean.Names(provider.Value, offers.Values("provider"), maxNear))
		}
	}
	modality := field(formField{Name: "modality", Label: "Input", Choice: true, Known: kinds.Default().Field("modalities.input").Values})
	if modality.Value != "" {
		if f.Modalities = []string{modality.Value}; !slices.Contains(kinds.Default().Field("modalities.input").Values, modality.Value) {
			modality.Wrong = "Choose a kind of input from the list."
		}
	}
	offerLimits(d, f, field)
	return f, nil
}

// priceSuggestions returns links to the page with other values of a field.
func priceSuggestions(field string, values []string) (list []suggestion) {
	for _, v := range values {
		list = append(list, suggestion{Path: pricesPath + "?" + url.Values{field: {v}}.Encode(), Name: v})
	}
	return list
}

// offerLimits reads the limits of prices and context.
func offerLimits(d *pricesPage, f *view.OfferFilter, field func(formField) *formField) {
	for _, l := range []struct {
		name, label string
		price       *record.Price
	}{{"maxInput", "Maximum input price, $", &f.MaxInput}, {"maxOutput", "Maximum output price, $", &f.MaxOutput}} {
		x := field(formField{Name: l.name, Label: l.label, Kind: "decimal"})
		if x.Value == "" {
			continue
		}
		number, ok := where.Amount(x.Value)
		var err error
		if *l.price, err = record.ParsePrice(number); err != nil {
			x.Wrong = "This " + err.Error() + "."
		}
		if !ok {
			x.Wrong = "Enter an amount in dollars, such as 2.5, 2,5 or $2.50."
		}
	}
	context := field(formField{Name: "minContext", Label: "Minimum context", Hint: "tokens", Kind: "numeric"})
	if context.Value != "" {
		var ok bool
		if f.MinContext, _, ok = where.WholeAmount(context.Value); !ok {
			context.Wrong = "Enter a whole number of tokens, such as 200000, 200,000 or 200k."
		}
	}
	var chosen []string
	for _, x := range d.Fields {
		d.Wrong = d.Wrong || x.Wrong != ""
		if x.Value != "" {
			chosen = append(chosen, x.Label+" "+textfmt.Name(x.Value))
		}
	}
	d.Chosen = strings.Join(chosen, ", ")
}

func firstOf(list []string) []string { return list[:min(len(list), maxProviders)] }

// modelsNamed returns the models that a text names: by slug, by name or by identifier. If there
// are none, near holds links to the page with a similar one in the named field.
func (r *request) modelsNamed(text, field string) (ordinals []uint32, near []suggestion) {
	if ordinals = resolve.Models(r.Build, text); len(ordinals) > 0 {
		return ordinals, nil
	}
	names := r.pricedNames()
	if ordinals = names.models(text); len(ordinals) > 0 {
		return ordinals, nil
	}
	slug := strings.TrimPrefix(text, "model/")
	isModel := func(o uint32) bool { typ, _ := r.Build.Key(o); return typ == "model" }
	for _, o := range r.suggested(strings.ReplaceAll(slug, "-", " ")) {
		if !isModel(o) || len(near) == maxNear {
			continue
		}
		e := r.Build.Entity(o)
		near = append(near, suggestion{pricesPath + "?" + url.Values{field: {e.Slug}}.Encode(), e.Name, textfmt.Plural(len(e.Offers), "offer", "offers")})
	}
	return nil, near
}

// providerName returns the name of a provider.
func (r *request) providerName(slug string) string {
	for _, p := range r.Build.Providers() {
		if p.Slug == slug {
			return p.Name
		}
	}
	return slug
}

// listOffers fills in one page of the offers.
func (r *request) listOffers(d *pricesPage, set *view.OfferSet) {
	d.Found, d.Sort = set.Len(), r.Query.Get("sort")
	if !slices.Contains(view.OfferSortKeys, d.Sort) {
		d.Sort = offerOrders[0].Name
	}
	number, err := strconv.Atoi(r.Query.Get("page"))
	if err != nil || number < 1 {
		number = 1
	}
	number = min(number, max(1, (d.Found+offerRows-1)/offerRows))
	skip := (number - 1) * offerRows
	refs, more, _ := set.Page(d.Sort, nil, skip, offerRows)
	for _, ref := range refs {
		e := r.Build.Entity(ref.Model)
		o := &e.Offers[ref.Index]
		d.Rows = append(d.Rows, priceRow{o, e.Type, e.Slug, e.Name, r.providerName(o.Provider),
			pricing.Blend(o.Prices[record.InputPrice], o.Prices[record.OutputPrice])})
	}
	d.First, d.Last = min(skip+1, d.Found), skip+len(d.Rows)
	if r.Static {
		return
	}
	if number > 1 {
		d.Prev = d.address(d.Sort, number-1)
	}
	if more {
		d.Next = d.address(d.Sort, number+1)
	}
	for _, o := range offerOrders {
		d.Sorts = append(d.Sorts, option{Name: o.Title, Value: o.Name, Chosen: o.Name == d.Sort, To: d.address(o.Name, 1)})
	}
}

// address returns the address of a page of the list with the same filters.
func (d *pricesPage) address(sort string, page int) string {
	q := url.Values{}
	for _, x := range d.Fields {
		if x.Value != "" {
			q.Set(x.Name, x.Value)
		}
	}
	if sort != offerOrders[0].Name {
		q.Set("sort", sort)
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	if len(q) == 0 {
		return pricesPath
	}
	return pricesPath + "?" + q.Encode()
}
