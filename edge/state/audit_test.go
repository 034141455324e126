package state_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/keys"
	"kindex/edge/state"
	"kindex/edge/state/statetest"
)

// auditActions are the actions in an account's log, the oldest first.
func auditActions(t *testing.T, s *state.State, account string) (actions []state.Action) {
	t.Helper()
	list, count, err := s.AuditLog(t.Context(), account, 0, 10_000)
	if err != nil || count != len(list) {
		t.Fatalf("%d of %d entries: %v", len(list), count, err)
	}
	for _, e := range slices.Backward(list) {
		actions = append(actions, e.Action)
	}
	return actions
}

func TestAuditEntry(t *testing.T) {
	suite.InTest(t)
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		s := open()
		ada, bob := ensure(t, s, "ada"), ensure(t, s, "bob")
		secret := keys.Generate()
		by := state.Actor{Kind: state.ByKey, ID: "key_x", Name: "build \x1b[2J\u202eserver", Address: "2001:db8::7"}
		err := s.Write(state.WithActor(t.Context(), by), func(tx *state.Tx) error {
			return tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.WebhookRotated, Target: "wh_1",
				Detail: "a\nb " + secret.Reveal() + " \xff" + strings.Repeat("é", 1000)})
		})
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, func(tx *state.Tx) error {
			return tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.WebhookDeleted, Target: "wh_1"})
		})
		list, _, err := s.AuditLog(t.Context(), ada.ID, 0, 2)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v %v", list, err)
		}
		newest, first := list[0], list[1]
		if newest.Action != state.WebhookDeleted || newest.Actor != (state.Actor{Kind: state.ByService}) || newest.Seq != first.Seq+1 {
			t.Errorf("%+v", newest)
		}
		if first.Actor.Name != "build \ufffd[2J\ufffdserver" || first.Actor.Address != by.Address || first.Target != "wh_1" {
			t.Errorf("%+v", first)
		}
		if d := first.Detail; strings.Contains(d, secret.Reveal()) || !strings.HasPrefix(d, "a\ufffdb kx_") || len([]rune(d)) != 300 {
			t.Errorf("%q", d)
		}
		if list, _, err := s.AuditLog(t.Context(), ada.ID, newest.Seq, 1); err != nil || len(list) != 1 || list[0].Seq != first.Seq {
			t.Errorf("the second page: %+v %v", list, err)
		}
		for _, e := range auditActions(t, s, bob.ID) {
			if e == state.WebhookRotated || e == state.WebhookDeleted {
				t.Errorf("another account's log has %s", e)
			}
		}
		err = s.Write(t.Context(), func(tx *state.Tx) error {
			return tx.Audit(state.AuditEntry{AccountID: "acc_none", Action: state.KeyCreated})
		})
		if !errors.Is(err, keys.ErrNoAccount) {
			t.Errorf("an unknown account: %v", err)
		}
	})
}

// TestAuditIsBounded: many entries of one action leave those of others alone, and all
// go after AuditFor.
func TestAuditIsBounded(t *testing.T) {
	suite.InTest(t)
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		s := open()
		ada := ensure(t, s, "ada")
		const more = 25
		write(t, s, func(tx *state.Tx) error {
			if err := tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.KeyRevoked, Target: "key_x"}); err != nil {
				return err
			}
			for i := range state.AuditPerAction + more {
				if err := tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.WebhookCreated, Target: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		list, _, err := s.AuditLog(t.Context(), ada.ID, 0, 10_000)
		count, revoked := 0, false
		for _, e := range list {
			if revoked = revoked || e.Action == state.KeyRevoked; e.Action == state.WebhookCreated {
				count++
			}
		}
		if err != nil || count != state.AuditPerAction || !revoked || list[0].Target != fmt.Sprint(state.AuditPerAction+more-1) {
			t.Errorf("%d webhook entries, the revoked key is there: %v, %v", count, revoked, err)
		}
		if err := s.ForgetAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := auditActions(t, s, ada.ID); len(now) != len(list) {
			t.Errorf("%d of %d entries are left", len(now), len(list))
		}
	})
}

func TestAuditIsForgotten(t *testing.T) {
	at := time.Now()
	target := t.TempDir() + "/kindex.db"
	s := statetest.OpenAt(t, target, func() time.Time { return at })
	ada := ensure(t, s, "ada")
	write(t, s, func(tx *state.Tx) error {
		return tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.KeyRevoked})
	})
	at = at.Add(state.AuditFor - time.Hour)
	write(t, s, func(tx *state.Tx) error {
		return tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.KeyCreated})
	})
	if err := s.ForgetAudit(t.Context()); err != nil || !slices.Contains(auditActions(t, s, ada.ID), state.KeyRevoked) {
		t.Errorf("an hour early: %v", err)
	}
	at = at.Add(2 * time.Hour)
	if slices.Contains(auditActions(t, s, ada.ID), state.KeyRevoked) {
		t.Error("an old entry is shown")
	}
	if err := s.ForgetAudit(t.Context()); err != nil {
		t.Error(err)
	}
	if err := statetest.Exec(target, "INSERT INTO audit_log SELECT * FROM audit_log WHERE action = 'key.revoked'"); err != nil {
		t.Errorf("the old entry is stored: %v", err)
	}
}

// TestAuditIsNumbered: entries that are made at once get numbers without a gap.
func TestAuditIsNumbered(t *testing.T) {
	suite.InTest(t)
	statetest.Each(t, func(t *testing.T, open func() *state.State) {
		edges := []*state.State{open(), open()}
		ada := ensure(t, edges[0], "ada")
		before := len(auditActions(t, edges[0], ada.ID))
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				err := edges[i%2].Write(context.Background(), func(tx *state.Tx) error {
					return tx.Audit(state.AuditEntry{AccountID: ada.ID, Action: state.Actions[i%3]})
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		list, _, err := edges[0].AuditLog(t.Context(), ada.ID, 0, 100)
		if err != nil || len(list) != 20+before {
			t.Fatalf("%d entries: %v", len(list), err)
		}
		for i, e := range list {
			if e.Seq != int64(len(list)-i) {
				t.Fatalf("entry %d has the number %d", len(list)-i, e.Seq)
			}
		}
	})
}
