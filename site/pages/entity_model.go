package pages

import (
	"strings"
	"time"

	"kindex/exports/ids"
	"kindex/exports/record"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// asOfNote says when a figure was read.
func asOfNote(day string) string {
	if day = textfmt.ISODay(day); day == "" {
		return "date unknown"
	}
	return "as of " + textfmt.Day(day)
}

// priceText describes a price.
func priceText(p *record.PriceSummary) string {
	var parts []string
	for _, x := range []struct {
		price record.Price
		name  string
	}{{p.Input, " input"}, {p.Output, " output"}} {
		if x.price.Known() {
			parts = append(parts, textfmt.Price(x.price)+x.name)
		}
	}
	return strings.Join(parts, ", ")
}

// summarized returns the offers that the price of a model follows from: those of its maker,
// or all that are not deprecated.
func summarized(e *record.Entity) (list []*record.Offer) {
	for i := range e.Offers {
		if o := &e.Offers[i]; o.Provider == e.Price.Provider || e.Price.Provider == "" && !o.Deprecated {
			list = append(list, o)
		}
	}
	return list
}

// priceDay returns the earliest day on which one of the summarized offers was read.
func priceDay(e *record.Entity) (day string) {
	for _, o := range summarized(e) {
		if o.Date != "" && (day == "" || o.Date < day) {
			day = o.Date
		}
	}
	return day
}

// priceNote says whose price the summary is.
func (s *Site) priceNote(e *record.Entity) string {
	offers := summarized(e)
	if len(offers) == 0 {
		return ""
	}
	note := "per million tokens, at " + textfmt.Name(s.providerName(offers[0].Provider))
	if e.Price.Provider == "" && len(offers) > 1 {
		note = "per million tokens, median of " + textfmt.Plural(len(offers), "offer", "offers")
	}
	return note
}

// idLinks returns the identifiers of an entity as links whose notes are their values. namespace looks up
// namespaces by name.
func idLinks(e *record.Entity, namespace func(name string) *ids.Namespace) (list []link) {
	for _, id := range e.IDs {
		l := link{Name: id.Namespace, Note: id.Value}
		if n := namespace(id.Namespace); n != nil {
			l.Name, l.To = n.Title, textfmt.WebURL(n.Address(id.Value))
		}
		list = append(list, l)
	}
	return list
}

// notice is a warning at the top of an entity's page.
type notice struct {
	Strong, Text string
	Next         *link // the page of the successor, or nil
	Out          *link // an announcement, or nil
}

// notices returns what users of an entity must know: its status, its announced end, and
// whether it is still maintained.
func (r *request) notices(d *entityPage, ended *link, asOf time.Time) (list []notice) {
	e := d.Entity
	switch e.Status {
	case record.Deprecated:
		n := notice{Strong: "Deprecated.", Text: "Its makers advise against adopting it."}
		if d.Score.Limit != "" {
			n.Text = "Its makers advise against adopting it; its score is capped at " + d.Score.Limit + "."
		}
		list = append(list, n)
	case record.Withdrawn:
		list = append(list, notice{Strong: "Withdrawn.", Text: "It no longer appears in lists, search or leaderboards, but this page remains."})
	}
	if n := lifecycleNotice(e.Lifecycle, asOf); n != nil {
		list = append(list, *n)
	}
	if len(list) == 0 || e.Lifecycle == nil {
		if n := maintenanceNotice(e); n != nil {
			list = append(list, *n)
		}
	}
	if len(list) == 0 {
		return nil
	}
	last := &list[len(list)-1]
	if e.Lifecycle != nil {
		last.Next = r.successor(e.Lifecycle.ReplacedBy)
		if to := textfmt.WebURL(e.Lifecycle.Source); to != "" && ended == nil {
			ended = &link{Name: "Read the announcement", To: to}
		}
	}
	if ended != nil {
		last.Out = &link{Name: "Read the announcement", To: ended.To}
	}
	return list
}

// lifecycleNotice returns a notice of the announced end, or nil if there is none.
func lifecycleNotice(l *record.Lifecycle, asOf time.Time) *notice {
	if l == nil || l.Deprecated == "" && l.Retires == "" && l.ReplacedBy == "" {
		return nil
	}
	n := &notice{Strong: "A successor is available."}
	today, since := asOf.UTC().Format(time.DateOnly), "Deprecated since "+textfmt.Day(l.Deprecated)+"."
	switch {
	case l.Deprecated > today:
		n.Strong, since = "To be deprecated on "+textfmt.Day(l.Deprecated)+".", ""
	case l.Deprecated != "":
		n.Strong = since
	default:
		since = ""
	}
	switch days, ok := record.DaysApart(today, l.Retires); {
	case !ok:
	case days <= 0:
		n.Strong = "Retired on " + textfmt.Day(l.Retires) + "."
	default:
		n.Strong, n.Text = "Retires on "+textfmt.Day(l.Retires)+", in "+textfmt.Plural(days, "day", "days")+".", since
	}
	return n
}

// maintenanceNotice warns that a repository is archived or dormant.
func maintenanceNotice(e *record.Entity) *notice {
	read := asOfNote(e.Maintenance.AsOf)
	switch e.Maintenance.State {
	case record.Archived:
		return &notice{Strong: "Archived.", Text: "Its repository is read-only, " + read + "."}
	case record.Dormant:
		return &notice{Strong: "Dormant.", Text: "The latest commit to its repository is from " + textfmt.DayOrUnknown(e.Signals.LastCommit()) + ", " + read + "."}
	}
	return nil
}

// successor returns the page of an entity named as type/slug, or nil if there is none.
func (s *Site) successor(key string) *link {
	typ, slug, ok := strings.Cut(key, "/")
	if !ok {
		return nil
	}
	o, _, found := s.Build.Find(typ, slug)
	if !found {
		return nil
	}
	e := s.Build.Entity(o)
	return &link{Name: textfmt.Name(e.Name), To: siteurl.Entity(e.Type, e.Slug)}
}
