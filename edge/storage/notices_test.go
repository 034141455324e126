package storage_test

import (
	"maps"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
	"kindex/edge/webhook"
)

// TestNotices checks that notices and their events are stored together or not at all.
func TestNotices(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, ctx := open(), t.Context()
		day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
		notice := func(retires string) webhook.Notice {
			return webhook.Notice{Type: "model", Slug: "m", Retires: retires, Days: 30}
		}
		record := func(at webhook.Announced, n webhook.Notice, event string, want bool) {
			t.Helper()
			recorded, err := s.RecordNotices(ctx, at, []webhook.Notice{n, n},
				[]webhook.Event{{ID: event, Name: "entity.retiring", Payload: []byte("{}")}})
			if err != nil || recorded != want {
				t.Fatalf("%s: recorded %v, want %v: %v", event, recorded, want, err)
			}
		}
		announced := func() webhook.Announced {
			t.Helper()
			return suite.Must(s.Announced(ctx))(t)
		}
		before := announced()
		record(before, notice(day(-364)), "evt_1", true)
		record(before, notice(day(20)), "evt_2", false) // another edge was faster
		after := announced()
		if before.Noticed || !after.Noticed || after.Version != before.Version+1 {
			t.Errorf("announced %+v, %+v", before, after)
		}
		record(after, notice(day(-10)), "evt_3", true)
		record(announced(), notice(day(20)), "evt_4", true)
		events := storagetest.Events(t, s, 0)
		if len(events) != 3 || events[0].ID != "evt_1" || events[2].ID != "evt_4" || events[2].Seq != 3 {
			t.Errorf("events %+v", events)
		}
		all, err := s.Notices(ctx, "")
		if want := map[webhook.Notice]bool{notice(day(-364)): true, notice(day(-10)): true, notice(day(20)): true}; err != nil || !maps.Equal(all, want) {
			t.Errorf("notices %v, want %v: %v", all, want, err)
		}
		suite.Equal(t, suite.Must(s.Notices(ctx, day(0)))(t), map[webhook.Notice]bool{notice(day(20)): true}, "notices ahead")
		suite.Equal(t, len(suite.Must(s.Check(ctx))(t).Problems), 0)
	})
}
