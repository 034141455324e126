package content

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/kinds"
	"kindex/exports/record"
)

// TestEntitiesDoNotKeepFiles: an entity keeps none of the memory of its file, of which its values
// are a small part.
func TestEntitiesDoNotKeepFiles(t *testing.T) {
	suite.InTest(t)
	const files, padding = 100, 100 << 10
	_, _ = parseEntity(kinds.Default(), "", "model", "first", []byte("name: First\n")) // reads the schema
	for _, comment := range []string{"", "# A comment, for the slower of the two readers.\n"} {
		var entities []*record.Entity
		before := heapInUse()
		for i := range files {
			file := fmt.Sprintf(`%sname: Model %d
description: Answers questions.
category: language
url: https://model.example/%d
links: {homepage: https://model.example/%d/home, paper: https://paper.example/%d}
tags: [one, two]
ids: {huggingface: example/model-%d}
modalities: {input: [text], output: [text]}
lifecycle: {retires: 2027-01-01}
signals:
  stars: {value: %d, date: 2026-01-02, source: https://model.example/%d/stars}
  benchmarks: [{name: MMLU, value: 50, source: https://model.example/%d/results}]
offersRead: {date: 2026-07-02, source: https://prices.example/}
offers:
  - {provider: acme, id: model-%d, input: 1, output: 2, tiers: [{over: 200000, input: 2, output: 4}], modes: {batch: {input: 0.5, output: 1}}}
padding: %s
`, comment, i, i, i, i, i, i, i, i, i, strings.Repeat("x", padding))
			e, problems := parseEntity(kinds.Default(), "", "model", fmt.Sprintf("m%d", i), []byte(file))
			if e == nil || len(e.Offers) != 1 || len(e.Links) != 2 {
				t.Fatalf("%+v: %v", e, problems)
			}
			entities = append(entities, e)
		}
		if kept := heapInUse() - before; kept > files*padding/2 {
			t.Errorf("%d entities keep %d KiB", files, kept>>10)
		}
		runtime.KeepAlive(entities)
	}
}

// heapInUse returns the size of the live data in bytes. The first collection leaves what pools
// hold, the second frees it.
func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}
