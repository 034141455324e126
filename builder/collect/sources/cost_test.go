package sources_test

import (
	"testing"
	"time"

	"kindex/builder/collect"
	"kindex/builder/collect/collecttest"
)

// costEntities is the number of entities of measureCost.
const costEntities = 200

// measureCost runs a source over costEntities entities, and again a day later, when it is asked
// for everything again. nextDay changes what the service has by then. It logs and returns the
// reports of both runs.
func measureCost(t *testing.T, s collect.Source, typ, namespace string, id func(i int) string, nextDay func()) (first, second collect.SourceReport) {
	t.Helper()
	ids := make([]string, costEntities)
	for i := range ids {
		ids[i] = id(i)
	}
	o := collecttest.Options(t, s, typ, namespace, ids...)
	clock, always := &collecttest.Clock{}, 0
	o.Clock, o.MaxAge, o.MaxWait = clock, &always, 24*time.Hour
	_, r := collecttest.Run(t, o)
	first = r.Sources[0]
	nextDay()
	if err := clock.Sleep(t.Context(), 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	_, r = collecttest.Run(t, o)
	second = r.Sources[0]
	for _, run := range []struct {
		name string
		collect.SourceReport
	}{{"first run", first}, {"a day later", second}} {
		if run.Answered < costEntities || run.Failed > 0 || run.Error != "" {
			t.Fatalf("%s: %+v", run.name, run.SourceReport)
		}
		t.Logf("%-12s %-12s %5d requests, %5d not modified, %9d bytes, %8v waited", run.Name, run.name, run.Requests, run.NotModified, run.Bytes, run.Waited.Round(time.Second))
	}
	return first, second
}
