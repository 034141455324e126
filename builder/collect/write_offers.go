package collect

import (
	"cmp"
	"maps"
	"slices"

	"kindex/builder/content/yamldoc"
	"kindex/exports/ids"
	"kindex/exports/pricing"
	"kindex/exports/record"
)

// editOffers sets the fields offers and offersRead of a file. Offers without an edit stay as they are
// written, and the order of the file is kept.
func (r *run) editOffers(e *record.Entity, edits []offerEdit, file, fields map[string]any) error {
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
	return r.keepNames(e, edits, fields)
}

// hosts are the namespaces for the names of models at providers that have another slug.
var hosts = map[string]string{
	"amazon-bedrock": "bedrock", "google-vertex": "vertex", "google-vertex-anthropic": "vertex", "azure-cognitive-services": "azure",
}

// keepNames adds the names in removed offers to the fields of an entity: programs that still send
// them must find the model. The name at the maker must not be lost; at other providers, it is only kept if
// there is a namespace for it.
func (r *run) keepNames(e *record.Entity, edits []offerEdit, fields map[string]any) error {
	names := map[string][]string{}
	for _, edit := range edits {
		o := edit.offer
		namespace := cmp.Or(hosts[o.Provider], o.Provider)
		declared := ids.In(r.content.Kinds, namespace) != nil
		known := slices.ContainsFunc(e.IDs, func(id record.ID) bool {
			return ids.NamesModels(id.Namespace) && ids.Canonical(ids.AnyModel, id.Value) == ids.Canonical(ids.AnyModel, o.ID)
		})
		made := slices.ContainsFunc(r.content.Providers, func(p pricing.Provider) bool { return p.Slug == o.Provider && p.Maker == e.Provider })
		switch {
		case !edit.remove || known:
		case declared:
			names[namespace] = append(names[namespace], o.ID)
		case made:
			return &refusedError{"the offer " + o.Key() + " is gone, but its name must stay findable; declare " + namespace + " under ids in kinds.yaml"}
		}
	}
	for namespace, list := range names {
		if list = append(e.IDsIn(namespace), list...); len(list) == 1 {
			member(fields, "ids", namespace, list[0])
		} else {
			member(fields, "ids", namespace, list)
		}
	}
	return nil
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
