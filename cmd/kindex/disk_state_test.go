package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/cmd/kindex/cli"
	"kindex/edge/storage"
)

// writeOnFullDisk creates accounts concurrently while the free space grows. An account
// must exist if, and only if, its creation was acknowledged. The database must work again
// once there is room. writeOnFullDisk is part of TestFullDisk.
func writeOnFullDisk(t *testing.T, disk string) {
	// This disk is mounted over the one that contains the builds, which is full.
	mount(t, disk, "8m")
	ctx := context.Background()
	target, ballast := filepath.Join(disk, "kindex.db"), filepath.Join(disk, "ballast")
	s := suite.Must(storage.Open(ctx, target, storage.Options{Exclusive: true}))(t)
	acknowledged := map[string]bool{}
	writeMany := func(round int) (refused int) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				name := fmt.Sprintf("%d-%d-%s", round, i, strings.Repeat("x", 50))
				err := s.Write(ctx, func(tx *storage.Tx) error { _, err := tx.EnsureAccount(name); return err })
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					acknowledged[name] = true
				} else {
					refused++
				}
			})
		}
		wg.Wait()
		return refused
	}
	failed := 0
	rounds := suite.Pick(4, 10)
	for round := range rounds {
		fillDisk(t, ballast, int64(round)*8<<10)
		if writeMany(2*round) > 0 {
			failed++
		}
		if code, stderr := kindex(t, "state", "backup", filepath.Join(disk, "backup.db"), "--state", target); round == 0 && (code != cli.ExitProblem || strings.Contains(stderr, "panic")) {
			t.Errorf("a backup on a full disk: exit %d, %s", code, stderr)
		}
		suite.Check(t, os.Remove(ballast))
		if left, err := filepath.Glob(filepath.Join(disk, ".*.part*")); err != nil || len(left) > 0 {
			t.Errorf("%v was left behind: %v", left, err)
		}
		if n := writeMany(2*round + 1); n > 0 {
			t.Errorf("%d writes were refused although there was room again", n)
		}
		_ = os.Remove(filepath.Join(disk, "backup.db"))
		onlyAcknowledged(t, s, acknowledged)
	}
	t.Logf("the disk was too full for writes in %d of %d rounds; %d were acknowledged", failed, rounds, len(acknowledged))
	if failed < 2 {
		t.Errorf("the disk was too full %d times", failed)
	}
	suite.Check(t, s.Close())
	s = suite.Must(storage.Open(ctx, target, storage.Options{}))(t)
	defer s.Close()
	onlyAcknowledged(t, s, acknowledged)
	if r, err := s.Check(ctx); err != nil || len(r.Problems) > 0 {
		t.Errorf("%+v %v", r, err)
	}
}

func onlyAcknowledged(t *testing.T, s *storage.State, acknowledged map[string]bool) {
	t.Helper()
	list := suite.Must(s.Accounts(context.Background()))(t)
	for _, a := range list {
		if !acknowledged[a.Name] {
			t.Errorf("%s was refused but exists", a.Name)
		}
	}
	suite.Equal(t, len(list), len(acknowledged), "acknowledged accounts exist")
}
