// Package deploy contains what is needed to run a service on several machines: alerts, a
// dashboard, the configuration of a proxy, and manifests for Compose and Kubernetes. The guide
// is site/docs/deploying.md.
package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kindex/builder/suite"
)

// healthy contains the series of a service that is just within the limit of every alert, in the
// notation of promtool: one value per minute for two hours.
var healthy = map[string]string{
	`up{instance="a"}`: "1x120",
	`up{instance="b"}`: "1x50 0 1x69",
	`kindex_http_requests_total{instance="a", route="/api/search", code="200"}`:                 "0+600x120",
	`kindex_http_requests_total{instance="a", route="/api/search", code="404"}`:                 "0+600x120",
	`kindex_http_requests_total{instance="a", route="/api/search", code="503"}`:                 "0+9x120",
	`kindex_http_request_seconds_bucket{instance="a", route="/api/search", le="0.25"}`:          "0+600x120",
	`kindex_http_request_seconds_bucket{instance="a", route="/api/search", le="1"}`:             "0+605x120",
	`kindex_http_request_seconds_bucket{instance="a", route="/api/search", le="5"}`:             "0+605x120",
	`kindex_http_request_seconds_bucket{instance="a", route="/api/search", le="+Inf"}`:          "0+605x120",
	`kindex_http_request_seconds_bucket{instance="a", route="/api/export/entities", le="5"}`:    "0x120",
	`kindex_http_request_seconds_bucket{instance="a", route="/api/export/entities", le="+Inf"}`: "0+90x120",
	`kindex_http_requests_in_flight{instance="a"}`:                                              "300x120",
	`kindex_state_reachable{instance="a"}`:                                                      "1x50 0 1x69",
	`kindex_build_refused_total{instance="a"}`:                                                  "0 1x120",
	`kindex_build_timestamp_seconds{instance="a"}`:                                              "-165000x120", // time begins at 0
	`kindex_build_timestamp_seconds{instance="b"}`:                                              "-999999x120",
	`kindex_build_info{instance="a", build="one"}`:                                              "1x50 stale",
	`kindex_build_info{instance="a", build="two"}`:                                              "_x50 1x69",
	`kindex_build_info{instance="b", build="one"}`:                                              "1x60 stale",
	`kindex_build_info{instance="b", build="two"}`:                                              "_x60 1x59",
	`kindex_bucket_answered_timestamp_seconds{instance="a"}`:                                    "-500+60x120",
	`kindex_bucket_failures_total{instance="a", reason="failed"}`:                               "0x100 1x20",
	`kindex_bucket_failures_total{instance="a", reason="unreachable"}`:                          "0+1x120",
	`kindex_webhook_queue_age_seconds{instance="a"}`:                                            "86400x120",
	`kindex_webhook_attempts_total{instance="a", outcome="2xx"}`:                                "0x90 1x29",
	`kindex_webhook_attempts_total{instance="a", outcome="5xx"}`:                                "0+1x120",
	`kindex_webhook_attempts_total{instance="a", outcome="postponed"}`:                          "0+9x120",
	`kindex_webhook_events_failed_total{instance="a"}`:                                          "1x120",
	`kindex_webhook_switched_off_total{instance="a"}`:                                           "1x120",
}

// firing contains, for each alert, the series that must differ for the alert to fire. An
// empty text removes a series.
var firing = map[string]map[string]string{
	"KindexDown":              {`up{instance="b"}`: "1x117 0x3"},
	"KindexNoEdges":           {`up{instance="a"}`: "", `up{instance="b"}`: ""},
	"KindexErrors":            {`kindex_http_requests_total{instance="a", route="/api/search", code="503"}`: "0+15x120"},
	"KindexSlow":              {`kindex_http_request_seconds_bucket{instance="a", route="/api/search", le="1"}`: "0+595x120", `kindex_http_request_seconds_bucket{instance="a", route="/api/search", le="0.25"}`: "0+590x120"},
	"KindexRequestsPileUp":    {`kindex_http_requests_in_flight{instance="a"}`: "301x120"},
	"KindexStateUnreachable":  {`kindex_state_reachable{instance="a"}`: "1x117 0x3"},
	"KindexBuildRefused":      {`kindex_build_refused_total{instance="a"}`: "0x110 1x10"},
	"KindexBuildOld":          {`kindex_build_timestamp_seconds{instance="a"}`: "-170000x120"},
	"KindexBuildsDiffer":      {`kindex_build_info{instance="b", build="one"}`: "1x120", `kindex_build_info{instance="b", build="two"}`: ""},
	"KindexBucketSilent":      {`kindex_bucket_answered_timestamp_seconds{instance="a"}`: "-601+60x120"},
	"KindexPullFails":         {`kindex_bucket_failures_total{instance="a", reason="failed"}`: "0x100 1x5 2x5 3x10"},
	"KindexWebhooksLate":      {`kindex_webhook_queue_age_seconds{instance="a"}`: "86401x120"},
	"KindexWebhooksFail":      {`kindex_webhook_attempts_total{instance="a", outcome="2xx"}`: "0x120"},
	"KindexWebhookEventsLost": {`kindex_webhook_events_failed_total{instance="a"}`: "1x100 2x20"},
}

// rule is an alert in alerts.yml.
type rule struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

func rules(t *testing.T) []rule {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(read(t, "alerts.yml"), &file); err != nil || len(file.Groups) != 1 {
		t.Fatalf("%+v %v", file, err)
	}
	return file.Groups[0].Rules
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	return suite.Must(os.ReadFile(name))(t)
}

// TestAlerts evaluates the alerts with promtool: a healthy service fires none, and for each alert there
// are series that fire it and no other.
func TestAlerts(t *testing.T) {
	suite.InTest(t)
	if _, err := exec.LookPath("promtool"); err != nil {
		suite.Missing(t, "promtool")
	}
	dir := t.TempDir()
	suite.Check(t, os.WriteFile(filepath.Join(dir, "alerts.yml"), read(t, "alerts.yml"), 0o644))
	tests := []any{ruleTest("", nil)}
	for _, r := range rules(t) {
		suite.Holds(t, firing[r.Alert] != nil, "no series fire", r.Alert)
		tests = append(tests, ruleTest(r.Alert, firing[r.Alert]))
	}
	suite.Equal(t, len(tests), len(firing)+1, "alerts with tests")
	text, err := json.Marshal(map[string]any{"rule_files": []string{"alerts.yml"}, "evaluation_interval": "1m", "tests": tests})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "test.yml"), text, 0o644) // JSON is YAML
	}
	suite.Check(t, err)
	for _, args := range [][]string{{"check", "rules", "alerts.yml"}, {"test", "rules", "test.yml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", args, err, out)
		}
	}
}

// ruleTest returns a test for promtool: with the changed series, the alert is the only one that
// fires after two hours. If alert is "", none fires.
func ruleTest(alert string, changed map[string]string) any {
	var series []map[string]string
	for name, values := range healthy {
		if other, ok := changed[name]; ok {
			values = other
		}
		if values != "" {
			series = append(series, map[string]string{"series": strings.Replace(name, "{", `{job="kindex", `, 1), "values": values})
		}
	}
	fires := []any{}
	if alert != "" {
		fires = append(fires, map[string]any{"labels": fmt.Sprintf("{alertname=%q}", alert), "value": 1})
	}
	return map[string]any{"name": alert, "interval": "1m", "input_series": series, "promql_expr_test": []any{
		map[string]any{"expr": `count by (alertname) (ALERTS{alertstate="firing"})`, "eval_time": "120m", "exp_samples": fires},
	}}
}

// TestRunbooks checks that each alert has a summary and a severity, and names a section that says
// what to do.
func TestRunbooks(t *testing.T) {
	page := string(read(t, "../../site/docs/alerts.md"))
	for _, r := range rules(t) {
		anchor, ok := strings.CutPrefix(r.Annotations["runbook"], "site/docs/alerts.md#")
		section := regexp.MustCompile(`(?m)^### ` + r.Alert + "\n\n[^#]").MatchString(page)
		suite.Holds(t, ok && anchor == strings.ToLower(r.Alert) &&
			section, r.Alert, "the runbook", r.Annotations["runbook"], "and alerts.md has a section", section)
		suite.Holds(t, r.Annotations["summary"] != "" &&
			slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]), r.Alert, r.Labels, r.Annotations)
	}
	suite.Equal(t, strings.Count(page, "\n### Kindex"), len(rules(t)), "alerts.md has sections for", "alerts")
}

// source is a reference to a data source of Grafana.
type source struct{ Type, UID string }

// panel is a panel of a Grafana dashboard, or a row of panels.
type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               *source
	GridPos                  struct{ H, W, X, Y int }
	Targets                  []struct {
		RefID, Expr, LegendFormat string
		Datasource                *source
	}
}

// dashboard is the part of Grafana's dashboard model that dashboard.json uses
// (https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/).
type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type, Query string
			Datasource        *source
		}
	}
	Panels []panel
}

func loadDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	suite.Check(t, json.Unmarshal(read(t, "dashboard.json"), &d))
	return d
}

// TestDashboard checks the shape of the dashboard: panels with an ID, a place of their own, a
// description and expressions, which all use the data source, job and edges that the reader
// selects.
func TestDashboard(t *testing.T) {
	d := loadDashboard(t)
	variables := map[string]string{}
	for _, v := range d.Templating.List {
		variables[v.Name] = v.Type
		suite.Holds(t, v.Datasource == nil || *v.Datasource == selected, "variable", v.Name, v.Datasource)
	}
	if d.Title == "" || d.UID == "" || d.SchemaVersion < 36 || variables["datasource"] != "datasource" || variables["job"] != "query" || variables["instance"] != "query" {
		t.Errorf("%q %q, schema %d, variables %v", d.Title, d.UID, d.SchemaVersion, variables)
	}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		suite.Holds(t, !ids[p.ID] && p.ID != 0 && p.Title != "", p, "has no ID and title of its own")
		ids[p.ID] = true
		g := p.GridPos
		suite.Holds(t, g.W >= 1 && g.H >= 1 && g.X >= 0 &&
			g.X+g.W <= 24, p.Title, "is outside the grid of 24 columns", g)
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := cells[[2]int{x, y}]; other != "" {
					t.Fatalf("%s covers %s", p.Title, other)
				}
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type != "row" {
			checkPanel(t, p)
		}
	}
	if text := string(read(t, "dashboard.json")); regexp.MustCompile(`"uid": "[^"$]+"`).FindAllString(text, -1)[0] != `"uid": "kindex"` || strings.Count(text, `"${datasource}"`) < len(d.Panels) {
		t.Error("a data source is not the variable")
	}
}

// selected is the data source that the reader selects.
var selected = source{"prometheus", "${datasource}"}

func checkPanel(t *testing.T, p panel) {
	t.Helper()
	if p.Description == "" || len(p.Targets) == 0 || p.Datasource == nil || *p.Datasource != selected {
		t.Errorf("%s: description %q, %d expressions, data source %v", p.Title, p.Description, len(p.Targets), p.Datasource)
	}
	refs := map[string]bool{}
	for _, target := range p.Targets {
		suite.Holds(t, !refs[target.RefID] && target.Datasource != nil && *target.Datasource == selected &&
			strings.Contains(target.Expr, `{job="$job", instance=~"$instance"`), p.Title, target)
		refs[target.RefID] = true
	}
}
