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
	switch made := func(p pricing.Provider) bool { return p.Slug == o.Provider && p.Maker == e.Provider }; {
	case known:
		return "", ""
	case ids.In(r.content.Kinds, namespace) != nil:
		return namespace, ""
	case slices.ContainsFunc(r.content.Providers, made):
		return "", "the offer " + o.Key() + " is gone, but its name must stay findable; declare " + namespace + " under ids in kinds.yaml"
	}
	return "", ""
}

// setIDs sets the identifiers in a namespace.
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
