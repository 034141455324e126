package main

import (
	"fmt"
	"time"

	"kindex/edge/storage"
)

// retires returns the day on which the entity of an edit retires. It differs from the day of
// the previous edit of the same entity, so each edit requires a notice, which comes late.
func (c *crashing) retires(edit int) string {
	return c.today.AddDate(0, 0, 10+edit/6%18).Format(time.DateOnly)
}

// awaitFirstCheck waits until the server has checked for retirements.
func (c *crashing) awaitFirstCheck() {
	c.t.Helper()
	st, err := storage.Open(c.t.Context(), c.target, storage.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer st.Close()
	for deadline := time.Now().Add(hanging); ; time.Sleep(10 * time.Millisecond) {
		at, err := st.Announced(c.t.Context())
		if err != nil {
			c.t.Fatal(err)
		}
		if at.Noticed {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatal("the server never checks for retirements")
		}
	}
}

// awaitNotices waits for the notices of the entities as they are now. An earlier day needs a
// notice only if the server ran between two edits of its entity.
func (c *crashing) awaitNotices() {
	c.t.Helper()
	for edit := max(1, c.edits-5); edit <= c.edits; edit++ {
		key := fmt.Sprintf("tool/tool-%d %s", edit%6, c.retires(edit))
		for deadline := time.Now().Add(hanging); !c.hook.notices(c.t)[key]; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				c.t.Fatalf("the webhook has no notice for %s; it has %v", key, c.hook.notices(c.t))
			}
		}
	}
}
