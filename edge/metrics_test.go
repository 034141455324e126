package edge_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/live"
	"kindex/edge/storage/storagetest"
	"kindex/exports/bucket"
)

// metricName matches the names of metrics in expressions of PromQL. Everything in quotes must have
// been removed.
var metricName = regexp.MustCompile(`\b(kindex|process|go)_[a-z0-9_]+\b|\bup\b`)

var quoted = regexp.MustCompile(`"[^"]*"`)

// TestMetricsExist checks that a running edge exports each metric in the alerts and on the
// dashboard, and that each of its own metrics is used there.
func TestMetricsExist(t *testing.T) {
	suite.InTest(t)
	exported, used := exportedMetrics(t), map[string]bool{}
	for _, file := range []string{"deploy/alerts.yml", "deploy/dashboard.json"} {
		text := suite.Must(os.ReadFile(file))(t)
		var document any
		if err := yaml.Unmarshal(text, &document); err != nil { // JSON is YAML
			t.Fatal(err)
		}
		for _, expression := range expressionsIn(document) {
			found := metricName.FindAllString(quoted.ReplaceAllString(expression, `""`), -1)
			suite.Holds(t, len(found) != 0, file, "has an expression without a metric", expression)
			for _, metric := range found {
				if used[metric] = true; !exported[metric] {
					t.Errorf("%s uses %s, which no edge exports: %s", file, metric, expression)
				}
			}
		}
	}
	for metric := range exported {
		base := strings.TrimSuffix(metric, "_count")
		if strings.HasPrefix(metric, "kindex_") && !used[metric] && !strings.HasSuffix(metric, "_sum") && !used[base+"_bucket"] {
			t.Errorf("%s is neither in an alert nor on the dashboard", metric)
		}
	}
}

// expressionsIn returns the values of all members named expr, at any depth.
func expressionsIn(v any) (all []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			all = append(all, expressionsIn(item)...)
		}
	case map[string]any:
		if text, ok := v["expr"].(string); ok {
			all = append(all, text)
		}
		for _, member := range v {
			all = append(all, expressionsIn(member)...)
		}
	}
	return all
}

// exportedMetrics returns the names of all series that an edge exports after a request.
func exportedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	from := suite.Must(bucket.OpenReader("file:" + t.TempDir()))(t)
	e := suite.Must(edge.New(edge.Options{Dir: edgetest.Built(t), State: storagetest.SQLite(t), Pull: live.PullOptions{From: from, Interval: time.Hour}}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	addresses, ended := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		ended <- e.Run(ctx, edge.Listeners{Addr: "127.0.0.1:0", Admin: "127.0.0.1:0", Drain: time.Minute,
			Ready: func(public, admin string) { addresses <- [2]string{public, admin} }})
	}()
	defer func() {
		cancel()
		suite.Check(t, <-ended)
	}()
	a := <-addresses
	download(t, "http://"+a[0]+"/api/categories", "identity")
	names := map[string]bool{"up": true, "kindex_webhook_attempts_total": true} // set by Prometheus; exported after the first attempt
	_, text := download(t, "http://"+a[1]+"/metrics", "identity")
	for line := range strings.Lines(string(text)) {
		names[regexp.MustCompile(`^\w*`).FindString(line)] = true
	}
	return names
}
