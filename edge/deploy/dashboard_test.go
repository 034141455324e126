package deploy

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
)

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
		if v.Datasource != nil && *v.Datasource != selected {
			t.Errorf("variable %s: %+v", v.Name, v.Datasource)
		}
	}
	if d.Title == "" || d.UID == "" || d.SchemaVersion < 36 || variables["datasource"] != "datasource" || variables["job"] != "query" || variables["instance"] != "query" {
		t.Errorf("%q %q, schema %d, variables %v", d.Title, d.UID, d.SchemaVersion, variables)
	}
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" {
			t.Errorf("%+v has no ID and title of its own", p)
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("%s is outside the grid of 24 columns: %+v", p.Title, g)
		}
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
		if refs[target.RefID] || target.Datasource == nil || *target.Datasource != selected || !strings.Contains(target.Expr, `{job="$job", instance=~"$instance"`) {
			t.Errorf("%s: %+v", p.Title, target)
		}
		refs[target.RefID] = true
	}
}
