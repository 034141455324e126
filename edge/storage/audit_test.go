package storage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/apikey"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// auditActions returns the actions in an account's log, oldest first.
func auditActions(t *testing.T, s *storage.State, account string) (actions []storage.Action) {
	t.Helper()
	list, count, err := s.AuditLog(t.Context(), account, 0, 10_000)
	suite.Require(t, err == nil && count == len(list), len(list), count, "entries", err)
	for _, e := range slices.Backward(list) {
		actions = append(actions, e.Action)
	}
	return actions
}

func TestAuditEntry(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		ada, bob := ensure(t, s, "ada"), ensure(t, s, "bob")
		secret := apikey.Generate()
		by := storage.Actor{Kind: storage.ByKey, ID: "key_x", Name: "build \x1b[2J\u202eserver", Address: "2001:db8::7"}
		suite.Check(t, s.Write(storage.WithActor(t.Context(), by), func(tx *storage.Tx) error {
			return tx.Audit(storage.AuditEntry{AccountID: ada.ID, Action: storage.WebhookRotated, Target: "wh_1",
				Detail: "a\nb " + secret.Reveal() + " \xff" + strings.Repeat("é", 1000)})
		}))
		write(t, s, func(tx *storage.Tx) error {
			return tx.Audit(storage.AuditEntry{AccountID: ada.ID, Action: storage.WebhookDeleted, Target: "wh_1"})
		})
		list, _, err := s.AuditLog(t.Context(), ada.ID, 0, 2)
		suite.Require(t, err == nil && len(list) == 2, list, err)
		newest, first := list[0], list[1]
		suite.Holds(t, newest.Action == storage.WebhookDeleted &&
			newest.Actor == (storage.Actor{Kind: storage.ByService}) && newest.Seq == first.Seq+1, newest)
		suite.Holds(t, first.Actor.Name == "build \ufffd[2J\ufffdserver" && first.Actor.Address == by.Address &&
			first.Target == "wh_1", first)
		d := first.Detail
		suite.Holds(t, !strings.Contains(d, secret.Reveal()) && strings.HasPrefix(d, "a\ufffdb kx_") && len([]rune(d)) == 300, d)
		if list, _, err := s.AuditLog(t.Context(), ada.ID, newest.Seq, 1); err != nil || len(list) != 1 || list[0].Seq != first.Seq {
			t.Errorf("second page: %+v %v", list, err)
		}
		for _, e := range auditActions(t, s, bob.ID) {
			suite.Holds(t, e != storage.WebhookRotated &&
				e != storage.WebhookDeleted, "another account's log contains", e)
		}
		err = s.Write(t.Context(), func(tx *storage.Tx) error {
			return tx.Audit(storage.AuditEntry{AccountID: "acc_none", Action: storage.KeyCreated})
		})
		suite.Is(t, err, apikey.ErrNoAccount, "unknown account")
	})
}

// TestAuditIsBounded checks that many entries for one action do not displace those for other
// actions.
func TestAuditIsBounded(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		ada := ensure(t, s, "ada")
		const more = 25
		write(t, s, func(tx *storage.Tx) error {
			if err := tx.Audit(storage.AuditEntry{AccountID: ada.ID, Action: storage.KeyRevoked, Target: "key_x"}); err != nil {
				return err
			}
			for i := range storage.AuditPerAction + more {
				if err := tx.Audit(storage.AuditEntry{AccountID: ada.ID, Action: storage.WebhookCreated, Target: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		list, _, err := s.AuditLog(t.Context(), ada.ID, 0, 10_000)
		count, revoked := 0, false
		for _, e := range list {
			if revoked = revoked || e.Action == storage.KeyRevoked; e.Action == storage.WebhookCreated {
				count++
			}
		}
		if err != nil || count != storage.AuditPerAction || !revoked || list[0].Target != fmt.Sprint(storage.AuditPerAction+more-1) {
			t.Errorf("%d webhook entries, the key's revocation is logged: %v, %v", count, revoked, err)
		}
	})
}

// TestAuditIsNumbered checks that entries created concurrently are numbered without gaps.
func TestAuditIsNumbered(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		edges := []*storage.State{open(), open()}
		ada := ensure(t, edges[0], "ada")
		before := len(auditActions(t, edges[0], ada.ID))
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				err := edges[i%2].Write(context.Background(), func(tx *storage.Tx) error {
					return tx.Audit(storage.AuditEntry{AccountID: ada.ID, Action: storage.Actions[i%3]})
				})
				suite.Holds(t, err == nil, err)
			})
		}
		group.Wait()
		list, _, err := edges[0].AuditLog(t.Context(), ada.ID, 0, 100)
		suite.Require(t, err == nil && len(list) == 20+before, len(list), "entries", err)
		for i, e := range list {
			suite.Require(t, e.Seq == int64(len(list)-i), "entry", len(list)-i, "has the number", e.Seq)
		}
	})
}
