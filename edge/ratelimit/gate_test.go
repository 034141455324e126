package ratelimit

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"testing"
	"time"
)

// TestGateIsExact checks that slots, slots per caller and waiting requests are limited, and
// that every outcome releases what was taken.
func TestGateIsExact(t *testing.T) {
	g := NewGate(GateOptions{Slots: 2, PerCaller: 1, MaxWaiting: 1, Wait: time.Minute})
	if err := errors.Join(g.Enter(t.Context(), "a"), g.Enter(t.Context(), "b")); err != nil {
		t.Fatal(err)
	}
	if err := g.Enter(t.Context(), "a"); !errors.Is(err, ErrTooManyPerCaller) {
		t.Errorf("a again: %v", err)
	}
	ctx, leave := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { waited <- g.Enter(ctx, "c") }()
	for !g.Contended() {
		time.Sleep(time.Millisecond)
	}
	if err := g.Enter(t.Context(), "d"); !errors.Is(err, ErrBusy) {
		t.Errorf("one waiter too many: %v", err)
	}
	leave()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled caller: %v", err)
	}
	go func() { waited <- g.Enter(t.Context(), "c") }()
	for !g.Contended() {
		time.Sleep(time.Millisecond)
	}
	g.Leave("a")
	if err := <-waited; err != nil {
		t.Errorf("waiting caller: %v", err)
	}
	g.Leave("b")
	g.Leave("c")
	if len(g.by) != 0 || len(g.slots) != 0 || g.waiting.Load() != 0 {
		t.Errorf("not released: %v, %d slots, %d waiting", g.by, len(g.slots), g.waiting.Load())
	}
}

// TestBuckets follows one bucket over time.
func TestBuckets(t *testing.T) {
	now := time.Unix(1000, 0)
	b := NewBuckets(50, 100, func() time.Time { return now })
	addr, neighbour := netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("2001:db8::2")
	take := func(n int) (got int) {
		for i := range n {
			if b.Take([]netip.Addr{addr, neighbour}[i%2]) {
				got++
			}
		}
		return got
	}
	if got := take(500); got != 100 {
		t.Errorf("%d at first", got)
	}
	if b.HasToken(addr) || b.Idle() || !b.HasToken(netip.MustParseAddr("2001:db8:0:1::1")) || !b.Take(netip.Addr{}) {
		t.Error("wrong number remaining")
	}
	now = now.Add(time.Second)
	if got := take(500); got != 50 {
		t.Errorf("%d after a second", got)
	}
	now = now.Add(time.Hour)
	if got := take(500); got != 100 {
		t.Errorf("%d after an hour", got)
	}
	if now = now.Add(time.Hour); !b.Idle() {
		t.Error("not idle after another hour")
	}
}

// TestAttackBucketsOfManyAddresses takes tokens for more addresses than there is room for.
func TestAttackBucketsOfManyAddresses(t *testing.T) {
	b := NewBuckets(50, 100, func() time.Time { return time.Unix(1000, 0) })
	var a [4]byte
	for i := range uint32(5 * maxBuckets) {
		binary.BigEndian.PutUint32(a[:], i+1)
		b.Take(netip.AddrFrom4(a))
	}
	if n := len(b.younger) + len(b.older); n > 2*maxBuckets {
		t.Errorf("%d buckets are stored, limit %d", n, 2*maxBuckets)
	}
}
