package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

const agentsGuide = "site/docs/agents.md"

// settings is the configuration of a program in which agents run.
type settings struct {
	MCPServers map[string]map[string]any `json:"mcpServers"`
}

// TestAgentsGuide runs every code block in the guide. For blocks that contain settings, it
// starts the configured server the way the protocol's own client does.
func TestAgentsGuide(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{Dir: edgetest.Built(t), LimitKey: 1000})
	key := e.Key(t, "agents")
	run := edgetest.Run{Edge: e, Key: key}
	for _, b := range edgetest.Blocks(t, agentsGuide) {
		var s settings
		if b.Language != "json" || json.Unmarshal([]byte(b.Text), &s) != nil || s.MCPServers == nil {
			continue
		}
		run.Except = append(run.Except, edgetest.Exception{Text: b.Text, Reason: "settings of a program: the test starts the server that they name"})
		way := strings.NewReplacer("http://127.0.0.1:8080", e.URL, "YOUR-KEY", key, "/srv/kindex", e.Dir).Replace(b.Text)
		if err := json.Unmarshal([]byte(way), &s); err != nil || len(s.MCPServers) != 1 || s.MCPServers["kindex"] == nil {
			t.Fatalf("line %d: %v: %s", b.Line, err, way)
		}
		list := agent(t, s.MCPServers["kindex"], step{"listTools"}, toolCall("get_entity", map[string]any{"entity": "tool/pytorch"}))
		if len(list) != 3 || !strings.Contains(list[2].text(), `"id":"tool/pytorch"`) {
			t.Errorf("line %d: %+v", b.Line, list)
			continue
		}
		checkToolTable(t, list[1])
	}
	suite.Equal(t, len(run.Except), 3, "of 3 settings")
	edgetest.Examples(t, agentsGuide, run)
}

// checkToolTable compares the tools listed in the guide with the tools that exist.
func checkToolTable(t *testing.T, d done) {
	t.Helper()
	var told, have []string
	for line := range strings.SplitSeq(readText(t, filepath.Join("..", "..", agentsGuide)), "\n") {
		if name, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ = strings.Cut(name, "`")
			told = append(told, name)
		}
	}
	for _, tool := range d.Result.Tools {
		have = append(have, tool.Name)
	}
	slices.Sort(told)
	if !slices.Equal(told, have) {
		t.Errorf("the guide lists %v, the tools are %v", told, have)
	}
}
