package pages

import (
	"strings"
	"time"

	"kindex/exports/record"
	"kindex/site/textfmt"
)

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
	read := asOfNote(e.Maintenance.AsOf)
	switch state := e.Maintenance.State; {
	case len(list) > 0 && e.Lifecycle != nil:
	case state == record.Archived:
		list = append(list, notice{Strong: "Archived.", Text: "Its repository is read-only, " + read + "."})
	case state == record.Dormant:
		commit, _ := e.Signals.Fact("lastCommit")
		list = append(list, notice{Strong: "Dormant.", Text: "The latest commit to its repository is from " + textfmt.DayOrUnknown(commit.Day) + ", " + read + "."})
	}
	if len(list) == 0 {
		return nil
	}
	last := &list[len(list)-1]
	if e.Lifecycle != nil {
		if next := r.reference(e.Lifecycle.ReplacedBy); next.To != "" {
			last.Next = &next
		}
		if to := textfmt.WebURL(e.Lifecycle.Source); to != "" && ended == nil {
			ended = &link{To: to}
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

// reference returns the name and the page of an entity named as type/slug, or only the key of one that there is not.
func (s *Site) reference(key string) link {
	typ, slug, _ := strings.Cut(key, "/")
	o, _, found := s.Build.Find(typ, slug)
	if !found {
		return link{Name: textfmt.Name(key)}
	}
	return link{Name: textfmt.Name(s.Build.Entity(o).Name), To: s.path(o)}
}
