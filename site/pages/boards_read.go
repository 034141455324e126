package pages

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kindex/exports/board"
	"kindex/exports/record"
	"kindex/exports/view"
	"kindex/site/siteurl"
	"kindex/site/textfmt"
)

// read reads the choices in the path. It returns nil if they identify a leaderboard and the path is in
// canonical form, or else a redirect or an error page.
func (b *ranking) read() *page {
	if b.own != nil {
		if b.by != "" || b.typ != "" {
			return b.notFound() // a board has one order
		}
		b.by = "composite"
		return b.readDay()
	}
	if b.typ != "" && !slices.Contains(b.kinds().Names(), b.typ) {
		return b.missingChoice("type", b.typ, b.kinds().Names())
	}
	switch {
	case b.by == "":
		b.by = "composite"
	case !slices.Contains(record.ScoreNames, b.by):
		return b.missingChoice("by", b.by, record.ScoreNames)
	case b.by == "composite":
		return &page{location: b.with("by", "")}
	}
	if p := b.readDay(); p != nil {
		return p
	}
	if now, renamed := b.Build.Preferred("category", b.slug); renamed {
		return &page{location: b.route.path(map[string]string{"category": now}, b.choices)}
	}
	if known := b.knownCategories(); !slices.Contains(known, b.slug) {
		return b.missingCategory(known)
	}
	return nil
}

// readDay reads the day from the path, like read.
func (b *ranking) readDay() *page {
	want := b.choice("at")
	if want == "" {
		return nil
	}
	a := b.Build.History()
	days := a.Snapshots()
	if len(days) == 0 {
		return b.missingDay("This index has no history yet.", nil)
	}
	at, err := time.Parse(time.DateOnly, want)
	first, last := days[0], days[len(days)-1]
	if err != nil || want < first || want > a.LastDay() {
		kept := "from " + textfmt.Day(first) + " to " + textfmt.Day(last)
		if first == last {
			kept = "only for " + textfmt.Day(last)
		}
		return b.missingDay("Leaderboards are available "+kept+"; write the day as "+last+".", slices.Compact([]string{first, last}))
	}
	if day, _ := a.SnapshotDay(want); day != want {
		return &page{location: b.with("at", day)}
	}
	b.day, b.asOf = want, at
	return nil
}

func (b *ranking) missingDay(text string, days []string) *page {
	list := []link{{Name: "Today’s leaderboard", To: b.presentPath()}}
	for _, d := range days {
		list = append(list, link{To: b.with("at", d), Name: "Leaderboard for " + textfmt.Day(d)})
	}
	return b.missing("No leaderboard for that day", text, list...)
}

func (b *ranking) missingCategory(known []string) *page {
	for _, own := range b.Own.Published() {
		known = append(known, own.Slug)
	}
	list := near(b.slug, known, func(slug string) link { return link{To: boardPath(slug), Name: b.boardTitle(slug)} })
	return b.missing("Category not found", fmt.Sprintf("There is no category “%s”.", textfmt.Name(b.slug)), list...)
}

func (b *ranking) unpublished() *page {
	has, when := "has", ""
	list := []link{{Name: "Leaderboards", To: boardsPath}}
	if b.day != "" {
		has, when = "had", " on "+textfmt.Day(b.day)
		list = slices.Insert(list, 0, link{To: b.with("at", ""), Name: "Today’s board"})
	}
	return b.missing("Board not published", fmt.Sprintf("It %s %s%s, and a board needs %d.", has, textfmt.Plural(len(b.ordinals), "ranked entity", "ranked entities"), when, board.MinEntries), list...)
}

// knownCategories returns the categories that may have a leaderboard. For an earlier day, they include
// categories that no longer exist.
func (b *ranking) knownCategories() []string {
	var known []string
	for _, c := range b.Site.Categories {
		known = append(known, c.Slug)
	}
	if b.day != "" {
		for _, c := range b.changeCategories() {
			if !slices.Contains(known, c) {
				known = append(known, c)
			}
		}
	}
	return known
}

// changeCategories returns the categories in which entities have been, under their present
// slugs if they still exist.
func (s *Site) changeCategories() (list []string) {
	for _, slug := range s.Build.History().ChangeValues("category") {
		if slug, _ = s.Build.Preferred("category", slug); !slices.Contains(list, slug) {
			list = append(list, slug)
		}
	}
	return list
}

// addMenus adds the choices of a leaderboard of a category. A static site has leaderboards by composite
// score only, and leaderboards of earlier days only for all types together.
func (b *ranking) addMenus(l *listing) {
	if types := b.types(); len(types) > 1 && (!b.Static || b.day == "") {
		l.Menus = append(l.Menus, listMenu{Title: "Kind", Options: b.choose("type", "All", types, b.plurals)})
	}
	m := listMenu{Title: "Category", Folded: true, Chosen: b.boardTitle(b.slug)}
	for _, slug := range b.knownCategories() {
		to := strings.Replace(b.with(), boardPath(b.slug), boardPath(slug), 1)
		m.Options = append(m.Options, option{Name: b.boardTitle(slug), To: to, Chosen: slug == b.slug})
	}
	l.Menus = append(l.Menus, m)
}

// addDays lists the days that have a snapshot; that of the as-of day is today's leaderboard. A static
// site has no boards of boards.yaml of earlier days.
func (b *ranking) addDays(l *listing) {
	days, typ := b.earlierDays(), b.typ
	if len(days) == 0 || b.Static && (b.own != nil || len(b.ordinals) == 0) {
		return
	}
	if b.Static {
		typ = ""
	}
	m := listMenu{Title: "Earlier days", Name: "days", Folded: true,
		Options: []option{{Name: "Today", To: b.presentPath(), Chosen: b.day == "" || b.day == b.AsOf.UTC().Format(time.DateOnly)}}}
	for _, at := range slices.Backward(days) {
		m.Options = append(m.Options, option{Name: textfmt.Day(at), Value: at, To: b.with("type", typ, "at", at), Chosen: at == b.day})
	}
	l.Menus = append(l.Menus, m)
}

// presentPath returns the path of the same leaderboard today, or of all if the category no longer exists.
func (b *ranking) presentPath() string {
	if b.own == nil && b.titles[b.slug] == "" {
		return boardsPath
	}
	return b.with("at", "")
}

// earlierDays returns the days before the as-of day that have snapshots, oldest first.
func (s *Site) earlierDays() []string {
	today := s.AsOf.UTC().Format(time.DateOnly)
	return slices.DeleteFunc(s.Build.History().Snapshots(), func(day string) bool { return day >= today })
}

// currentPath returns the path of the current version of a past day's entity, or "-" if the entity was
// deleted.
func (b *ranking) currentPath(past *view.View, ordinal uint32) string {
	a := b.Build.History()
	typ, slug := past.Key(ordinal)
	v, _ := a.At(typ, slug, past.Day)
	now := a.Version(a.Newest(v))
	if _, earlier, ok := b.Build.Find(now.Type, now.Slug); now.Deleted || !ok || earlier {
		return "-"
	}
	return siteurl.Entity(now.Type, now.Slug)
}
