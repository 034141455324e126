package feed_test

import (
	"io"
	"testing"

	"kindex/exports/feed"
	"kindex/exports/record"
)

// BenchmarkWrite writes a full page of 200 changes.
func BenchmarkWrite(b *testing.B) {
	var changes []*record.Change
	for len(changes) < 200 {
		changes = append(changes, newest()...)
	}
	f := sample(changes[:200]...)
	for _, format := range feed.Formats {
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Write(io.Discard, format); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
