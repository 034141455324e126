package collect

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kindex/builder/content"
	"kindex/builder/content/yamldoc"
	"kindex/builder/content/yamlfmt"
	"kindex/exports/ids"
	"kindex/exports/record"
)

// OffersColumn is the name of the offers of a source in Columns and collect.yaml.
const OffersColumn = "offers"

// offersOf adds the offers of an entity that a list covers and no earlier one has.
func (a *asking) offersOf(e *record.Entity, owned map[string]bool) {
	if a.LookOffer == nil || !hasColumn(a.columns, OffersColumn) {
		return
	}
	for i := range e.Offers {
		t := target{entity: e, offer: &e.Offers[i], id: offerName(&e.Offers[i])}
		key := e.Key() + ":" + t.id
		if answer, covered := a.LookOffer(t.offer); covered && !owned[key] {
			owned[key] = true
			a.take(t.id, answer)
			a.offers = append(a.offers, t)
		}
	}
}

// offerName is the name of an offer in reports and --accept, as in changes.
func offerName(o *record.Offer) string { return OffersColumn + "." + o.Key() }

// terms returns the known prices and limits of an offer, in dollars and tokens, by names such as context,
// tiers.200000.output and modes.batch.input.
func terms(o *record.Offer) map[string]float64 {
	all := map[string]float64{"context": float64(o.Context), "outputLimit": float64(o.OutputLimit)}
	maps.DeleteFunc(all, func(_ string, tokens float64) bool { return tokens <= 0 })
	eachPrice(o, func(name string, p *record.Price) {
		if p.Known() {
			all[name] = p.Float()
		}
	})
	return all
}

// eachPrice calls f for the prices of an offer, its tiers and its modes.
func eachPrice(o *record.Offer, f func(name string, p *record.Price)) {
	each := func(prefix string, prices *record.Prices, tiers []record.Tier) {
		for kind, name := range record.PriceNames {
			f(prefix+name, &prices[kind])
			for i := range tiers {
				f(fmt.Sprintf("%stiers.%d.%s", prefix, tiers[i].Over, name), &tiers[i].Prices[kind])
			}
		}
	}
	each("", &o.Prices, o.Tiers)
	for i := range o.Modes {
		each("modes."+o.Modes[i].Name+".", &o.Modes[i].Prices, o.Modes[i].Tiers)
	}
}

func shownOffer(o *record.Offer) string {
	var parts []string
	all := terms(o)
	for _, name := range append(slices.Clone(record.PriceNames), "context", "outputLimit") {
		if v, known := all[name]; known {
			parts = append(parts, name+" "+number(v))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no prices")
}

// wrongOffer returns the reason an offer can never be written, or "". It must not get as far as a file: that
// would be refused as a whole, with the figures of all other sources.
func (r *run) wrongOffer(kind string, o record.Offer, day string) string {
	if reason := wrongReading(o.Source, day, r.today); reason != "" {
		return reason
	}
	o.Date = day
	setFree(&o) // what is free is for other guards to say
	data, err := yamlfmt.Compose(r.content.Kinds, map[string]any{"name": "x", "description": "x", "category": "x", "offers": []any{fieldsOfOffer(&o, "")}})
	if err != nil {
		return err.Error()
	}
	_, problems := content.ParseEntity(r.content.Kinds, "the offer", kind, "x", data)
	for _, p := range problems {
		if p.Severity == yamldoc.Error {
			return strings.TrimPrefix(p.Field, "offers[0].") + ": " + p.Text()
		}
	}
	return ""
}

// editOffers sets the fields offers and offersRead of a file. Other offers, and the order, stay as they are.
func (r *run) editOffers(e *record.Entity, edits []offerEdit, file, fields map[string]any) {
	read, _ := file["offersRead"].(map[string]any)
	list, _ := file["offers"].([]any)
	var out []any
	for _, item := range list {
		have, ok := item.(map[string]any)
		i := slices.IndexFunc(edits, func(e offerEdit) bool {
			return e.offer.Key() == (&record.Offer{Provider: yamldoc.Text(have["provider"]), ID: yamldoc.Text(have["id"])}).Key()
		})
		switch {
		case !ok || i < 0:
			out = append(out, item)
		case edits[i].remove:
		case len(edits[i].changes) == 0:
			have["date"] = edits[i].fresh.Date
			out = append(out, have)
		default:
			out = append(out, fieldsOfOffer(&edits[i].fresh, yamldoc.Text(read["source"])))
		}
	}
	fields["offers"] = out
	if len(out) == 0 {
		fields["offers"], fields["offersRead"] = nil, nil
	} else if day := commonDay(out, yamldoc.Text(read["date"])); day != "" {
		common := map[string]any{}
		maps.Copy(common, read)
		common["date"] = day
		fields["offersRead"] = common
	}
	for _, name := range []string{"offers", "offersRead"} { // another source continues with them
		if v, ok := fields[name]; ok {
			file[name] = v
		}
	}
	names := map[string][]string{}
	for _, edit := range edits {
		if namespace, _ := r.nameOf(e, edit.offer); edit.remove && namespace != "" {
			names[namespace] = append(names[namespace], edit.offer.ID)
		}
	}
	for namespace, list := range names {
		setIDs(fields, namespace, append(e.IDsIn(namespace), list...))
	}
}

// hosts are the namespaces for the names of models at providers that have another slug.
var hosts = map[string]string{
	"amazon-bedrock": "bedrock", "google-vertex": "vertex", "google-vertex-anthropic": "vertex", "azure-cognitive-services": "azure",
}

// nameOf returns the namespace in ids for the name in an offer that is removed, because programs that still send it
// must find the model, or why the offer must stay: the name at the maker must not be lost.
func (r *run) nameOf(e *record.Entity, o *record.Offer) (namespace, problem string) {
	namespace = cmp.Or(hosts[o.Provider], o.Provider)
	known := slices.ContainsFunc(e.IDs, func(id record.ID) bool {
		return ids.NamesModels(id.Namespace) && ids.Canonical(ids.AnyModel, id.Value) == ids.Canonical(ids.AnyModel, o.ID)
	})
	switch {
	case known:
		return "", ""
	case ids.In(r.content.Kinds, namespace) != nil:
		return namespace, ""
	case r.content.Providers.Makes(o.Provider, e.Provider):
		return "", "the offer " + o.Key() + " is gone, but its name must stay findable; declare " + namespace + " under ids in kinds.yaml"
	}
	return "", ""
}

func setIDs(fields map[string]any, namespace string, list []string) {
	if len(list) == 1 {
		member(fields, "ids", namespace, list[0])
	} else {
		member(fields, "ids", namespace, list)
	}
}

// commonDay moves the day that most offers have, the newest of several, from the offers to
// offersRead: it returns that day, and removes it from the offers. It returns "", and leaves the
// dates of offers as they are, if that would give an undated offer a date, or if there are none.
func commonDay(offers []any, readDay string) string {
	days := map[string]int{}
	for _, item := range offers {
		have, _ := item.(map[string]any)
		if have["date"] == nil && readDay != "" {
			have["date"] = readDay
		}
		days[yamldoc.Text(have["date"])]++
	}
	day := ""
	for _, d := range sortedKeys(days) {
		if days[d] >= days[day] || day == "" {
			day = d
		}
	}
	if days[""] > 0 || day == "" {
		return ""
	}
	for _, item := range offers {
		if have, _ := item.(map[string]any); have["date"] == day {
			delete(have, "date")
		}
	}
	return day
}

// fieldsOfOffer returns an offer in the form used in files.
func fieldsOfOffer(o *record.Offer, readSource string) map[string]any {
	out := fileForm(o.AppendJSON(nil))
	if o.Source == readSource {
		delete(out, "source")
	}
	return out
}
