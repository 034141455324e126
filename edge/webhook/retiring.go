package webhook

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kindex/exports/record"
)

// NoticeDays are the numbers of days before a retirement at which entity.retiring is sent,
// earliest notice first.
var NoticeDays = []int{30, 7}

// Retirement is the announced end of an entity that has not been withdrawn.
type Retirement struct {
	Type, Slug, Name string
	Formerly         []string // its earlier addresses, type/slug
	Retires          string   // YYYY-MM-DD
	ReplacedBy       string   // type/slug of its successor, "" if unknown
}

// Notice identifies the notice of a retirement. No notice is sent twice.
type Notice struct {
	Type, Slug string // the entity at the time of the notice
	Retires    string // YYYY-MM-DD
	Days       int    // one of NoticeDays
}

type retiring struct {
	Retires    string  `json:"retires"`
	DaysLeft   int     `json:"daysLeft"`
	ReplacedBy *string `json:"replacedBy"`
}

// PlanNotices returns the events for the notices that are due at a time, and all notices to
// record, also those that no longer need to be sent. sent contains the notices recorded before. A
// notice is due from the start of the UTC day that is Notice.Days before the retirement, until
// the day before it. Of several due notices for one retirement, only the last one is sent; on the
// first check of a database, those for past days are not.
func PlanNotices(list []Retirement, sent map[Notice]bool, now time.Time, first bool) (due []Notice, events []Event, err error) {
	const day = 24 * time.Hour
	for _, r := range list {
		end, err := time.Parse(time.DateOnly, r.Retires)
		if err != nil {
			return nil, nil, err
		}
		left := int(end.Sub(now.UTC().Truncate(day)) / day)
		last := len(NoticeDays) - 1 // the last notice that is due
		for last >= 0 && left > NoticeDays[last] {
			last--
		}
		if last < 0 || left <= 0 || r.wasSent(NoticeDays[last:], sent) {
			continue
		}
		for _, days := range NoticeDays[:last+1] {
			due = append(due, Notice{r.Type, r.Slug, r.Retires, days})
		}
		if first && left < NoticeDays[last] {
			continue
		}
		e := Event{Name: record.Retiring, At: now.UTC().Truncate(time.Second), Type: r.Type, Slug: r.Slug, Entity: r.Name,
			ChangeIDs: []string{}, retiring: &retiring{Retires: r.Retires, DaysLeft: left}}
		if r.ReplacedBy != "" {
			e.retiring.ReplacedBy = &r.ReplacedBy
		}
		if err := e.finalize(record.Retiring, r.Retires, strconv.Itoa(NoticeDays[last])); err != nil {
			return nil, nil, err
		}
		events = append(events, e)
	}
	return due, events, nil
}

// wasSent reports whether one of the notices was recorded, under any address of the entity.
func (r *Retirement) wasSent(days []int, sent map[Notice]bool) bool {
	return slices.ContainsFunc(append([]string{r.Type + "/" + r.Slug}, r.Formerly...), func(key string) bool {
		typ, slug, _ := strings.Cut(key, "/")
		return slices.ContainsFunc(days, func(n int) bool { return sent[Notice{typ, slug, r.Retires, n}] })
	})
}
