package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kindex/edge/ratelimit"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest/server"
)

const (
	// unlimitedQuota is a limit that no measurement reaches.
	unlimitedQuota = "1000000000"
	// limitCost is the target for the cost of a request with limits, relative to
	// its cost without limits.
	limitCost = 1.15
	takes     = 5000 // number of sequential requests to PostgreSQL
)

// measureLimits sends the same requests to the program with and without limits,
// each time to a new process with its own state.
func (b *bench) measureLimits(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	if err := b.limitsOn(ctx, "SQLite", limitCost, func(name string) (string, error) {
		return filepath.Join(b.tmp, name+".db"), nil
	}); err != nil {
		return err
	}
	// PostgreSQL runs with its default configuration, which syncs to disk.
	pg, err := server.Start()
	if errors.Is(err, exec.ErrNotFound) {
		b.skipped = append(b.skipped, "measuring limits on PostgreSQL requires PostgreSQL: install it")
		return nil
	}
	if err != nil {
		return err
	}
	err = b.limitsOn(ctx, "PostgreSQL", 0, func(string) (string, error) { return pg.Database(ctx) })
	if err == nil {
		err = b.roundTrips(ctx, pg)
	}
	return errors.Join(err, pg.Stop())
}

// limitsOn measures limits whose counters are stored in one database engine.
func (b *bench) limitsOn(ctx context.Context, engine string, mark float64, target func(name string) (string, error)) (err error) {
	classes, err := b.httpClasses()
	if err != nil {
		return err
	}
	c := classes[0]
	fmt.Fprintln(b.progress, "measuring: limits on", engine)
	var sides []*process
	defer func() {
		for _, p := range sides {
			err = errors.Join(err, p.stop())
		}
	}()
	for i, side := range limitSides {
		state, err := target(fmt.Sprint("limits", i))
		if err != nil {
			return err
		}
		p, err := b.serveLimited(ctx, state, side.key, side.limited)
		if err != nil {
			return err
		}
		sides = append(sides, p)
	}
	loads, err := interleave(ctx, c, sides...)
	if err != nil {
		return err
	}
	return b.add(b.limitRows(ctx, c, engine, mark, loads)...)
}

// limitSides lists each kind of client twice: first without a limit, then with
// one.
var limitSides = []struct {
	who          string
	key, limited bool
}{{"an address", false, false}, {"an address", false, true}, {"a key", true, false}, {"a key", true, true}}

// serveLimited starts a server, without limits or with limits that no measurement
// reaches, and sends requests to it with or without a key.
func (b *bench) serveLimited(ctx context.Context, state string, key, limited bool) (*process, error) {
	var header http.Header
	if key {
		made, err := exec.CommandContext(ctx, b.kindex, "keys", "create", "--account", "bench", "--state", state).Output()
		if err != nil {
			return nil, fmt.Errorf("kindex keys create: %w", err)
		}
		header = http.Header{"X-Api-Key": {strings.TrimSpace(string(made))}}
	}
	limit := "0"
	if limited {
		limit = unlimitedQuota
	}
	// With PostgreSQL, the server refuses to start without an operator's key,
	// although this database contains no secrets.
	operator := filepath.Join(b.tmp, "operator.key")
	if err := os.WriteFile(operator, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), 0o600); err != nil {
		return nil, err
	}
	p, err := start(ctx, exec.CommandContext(ctx, b.kindex, "serve", "--dir", b.root, "--addr", "127.0.0.1:0", "--admin", "",
		"--state", state, "--operator-key", operator, "--limit-anonymous", limit, "--limit-key", limit))
	if err != nil {
		return nil, err
	}
	p.header = header
	if err := p.checkLimit(ctx, limited); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// checkLimit checks that a server is configured as intended.
func (p *process) checkLimit(ctx context.Context, limited bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/api/meta", nil)
	if err != nil {
		return err
	}
	maps.Copy(req.Header, p.header)
	res, err := p.client.Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if tier := res.Header.Get("X-RateLimit-Tier"); (tier != "") != limited || limited && (tier == "authenticated") != (p.header != nil) {
		return fmt.Errorf("unexpected rate limit tier %q, status %d", tier, res.StatusCode)
	}
	return nil
}

func (b *bench) limitRows(ctx context.Context, c httpClassOf, engine string, mark float64, loads []load) []row {
	var rows []row
	for i := 1; i < len(loads); i += 2 {
		without, own := &loads[i-1], &loads[i]
		name := "GET /api/entity for " + limitSides[i].who + ", " + engine
		cpu := row{Part: "limits", Name: name + " processor", Value: own.each(), Unit: "µs", Count: own.requests,
			Note: "processor time of the edge alone; the yardstick is the same build and requests without limits; all requests count towards the limit of one principal"}.
			against("without limits", without.each(), without.requests)
		if mark > 0 {
			cpu = cpu.timesAtMost(mark).explained(b.serveProfile(ctx, c, unlimitedQuota))
		}
		rows = append(rows, cpu, row{Part: "limits", Name: name + " requests", Value: own.rate(), Unit: "/s", Count: own.requests,
			Note: fmt.Sprintf("%d connections; the client and PostgreSQL run on the same cores", connections)}.
			against("without limits", without.rate(), without.requests))
	}
	return rows
}

// roundTrips measures the cost of counting a request in PostgreSQL, compared with
// the shortest possible round trip.
func (b *bench) roundTrips(ctx context.Context, pg *server.Server) (err error) {
	target, err := pg.Database(ctx)
	if err != nil {
		return err
	}
	s, err := storage.Open(ctx, target, storage.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l := ratelimit.NewShared(s, nil)
	subject := ratelimit.Subject{ID: "acc:bench", Tier: ratelimit.Authenticated, Limit: 1 << 40}
	var count, ping durations
	for range takes {
		begin := time.Now()
		if _, err := l.Take(ctx, subject); err != nil {
			return err
		}
		middle := time.Now()
		if err := s.Ping(ctx); err != nil {
			return err
		}
		count, ping = append(count, middle.Sub(begin)), append(ping, time.Since(middle))
	}
	return b.add(row{Part: "limits", Name: "count a request in PostgreSQL p50", Value: 1000 * count.quantile(0.5), Unit: "µs", Count: takes,
		Note: "through a Unix socket, default configuration, sequential; the yardstick is a ping, the shortest possible round trip"}.
		against("ping", 1000*ping.quantile(0.5), takes),
		row{Part: "limits", Name: "count a request in PostgreSQL p99", Value: 1000 * count.quantile(0.99), Unit: "µs", Count: takes}.
			against("ping", 1000*ping.quantile(0.99), takes))
}
