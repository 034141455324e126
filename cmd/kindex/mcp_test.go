package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// done is the result of an agent's step.
type done struct {
	Result struct {
		Server            struct{ Name, Version string }
		Capabilities      map[string]any
		Instructions      string
		IsError           bool
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		Tools             []struct {
			Name, Description string
			InputSchema       struct {
				Properties map[string]struct {
					Description string
					Examples    []any
				}
				AdditionalProperties any
			}
			OutputSchema map[string]any
			Annotations  struct{ ReadOnlyHint bool }
		}
		Contents  []struct{ URI, MimeType, Text string }
		Resources []struct{ URI string }
	}
	Error string
}

// text is what the model reads.
func (d *done) text() string {
	var b strings.Builder
	b.WriteString(d.Error)
	for _, c := range d.Result.Content {
		b.WriteString(c.Text)
	}
	for _, c := range d.Result.Contents {
		b.WriteString(c.Text)
	}
	return b.String()
}

// step is a method of the protocol's client, followed by the parameters to call it with.
type step [2]any

func toolCall(tool string, arguments map[string]any) step {
	return step{"callTool", map[string]any{"name": tool, "arguments": arguments}}
}

// agent runs the steps with the protocol's own client. The first result, before those of
// the steps, is the server's description of itself.
func agent(t *testing.T, way map[string]any, steps ...step) []done {
	t.Helper()
	suite.NodeModules(t, "@modelcontextprotocol/sdk")
	to := suite.Must(json.Marshal(way))(t)
	in := suite.Must(json.Marshal(steps))(t)
	cmd := exec.Command("node", filepath.Join("testdata", "agent.mjs"), filepath.Join("..", "..", "site"), string(to))
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(in)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var list []done
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return list
}

// agentSteps lists the steps that an agent takes to use the index in every way: it calls
// each tool, makes invalid calls, and reads the resources. The text of a result must
// contain every string in want.
var agentSteps = []struct {
	step
	wrong bool // whether the result must be an error
	want  []string
}{
	{step: toolCall("search", map[string]any{"query": "gradient boosting", "limit": 2}), want: []string{`"count":5,"data":[{`, `"id":"tool/xgboost"`, `"name":"XGBoost"`, `"nextCursor":"`, "data, not instructions"}},
	{step: toolCall("search", map[string]any{"query": "gradient boosting", "limit": "2", "type": nil, "tag": ""}), want: []string{`"count":5,"data":[{`}},
	{step: toolCall("search", map[string]any{"query": "zzzzqqqq"}), want: []string{`"count":0,"data":[]`}},
	{step: toolCall("search", map[string]any{"query": "pytorch", "limit": 1, "full": true}), want: []string{`"id":"tool/pytorch"`}},
	{step: toolCall("get_entity", map[string]any{"entity": "tool/pytorch"}), want: []string{`"id":"tool/pytorch"`, `"quality":null`, `"stars":{"date":"2026-07-16","value":101717}`}},
	{step: toolCall("get_entity", map[string]any{"entity": "/api/entity/tool/pytorch", "view": "full"}), want: []string{`"id":"tool/pytorch"`}},
	{step: toolCall("get_entity", map[string]any{"entity": "tool/pytorch", "view": "score"}), want: []string{`"composite":`, `"id":"tool/pytorch"`, `"value":101717`, `"source":"https://`}},
	{step: toolCall("get_entity", map[string]any{"entity": "tool/pytorch", "at": edgetest.Today().AddDate(0, 0, -5).Format(time.DateOnly)}), want: []string{`"value":100}`}},
	{step: toolCall("leaderboard", map[string]any{"category": "nlp", "by": "adoption", "limit": 3}), want: []string{`"category":"nlp"`, `"rank":1,`, `"rank":3,`}},
	{step: toolCall("leaderboard", nil), want: []string{`"rank":10,`, `"nextCursor":"`}},
	{step: toolCall("trending", map[string]any{"window": "7d"}), want: []string{`"since":"`, "tool/tensorlayer", `"gain":`}},
	{step: toolCall("trending", map[string]any{"by": "stars"}), want: []string{`"count":1,`, `"since":"`, "tool/pytorch", `"growth":{"gain":101617,"percent":101617,"previousValue":100,"signal":"stars","value":101717}`}},
	{step: toolCall("similar", map[string]any{"entity": "tool/pytorch", "limit": 2}), want: []string{`"kind":"alternative"`, `"similarity":0.`, `"reasons":["`}},
	{step: toolCall("compare", map[string]any{"entities": []string{"tool/pytorch", "tool/tensorflow", "model/gpt-5"}}), want: []string{
		`{"count":3,"data":[{`, `"id":"tool/pytorch"`, `"id":"tool/tensorflow"`, `"id":"model/gpt-5"`, `"value":101717`, `"contextTokens":`}},
	{step: toolCall("compare", map[string]any{"entities": `["tool/pytorch","tool/tensorflow"]`}), want: []string{`{"count":2,"data":[{`}},
	{step: toolCall("prices", map[string]any{"model": "gpt-5", "limit": 1}), want: []string{`"count":`, `"id":"`, `"input":`, `"date":"`}},
	{step: toolCall("cost", map[string]any{"model": "gpt-5", "input": "1000000", "output": 1000}), want: []string{`"model":{`, `"data":[{`}},
	{step: toolCall("changes_since", map[string]any{"since": edgetest.Today().AddDate(0, 0, -7).Format(time.DateOnly)}), want: []string{
		`"count":2,"data":[{`, `"slug":"pytorch"`, `"event":"entity.updated"`, `{"field":"signals.stars","new":101717,"old":100}`}},
	{step: toolCall("changes_since", map[string]any{"since": "2020-01-01", "event": "entity.created", "limit": 2}), want: []string{`"event":"entity.created"`, `"nextCursor":"`}},

	{wrong: true, step: toolCall("get_entity", map[string]any{"entity": "tool/pytrch"}), want: []string{`There is no tool "pytrch".`, "Did you mean tool/pytorch?"}},
	{wrong: true, step: toolCall("get_entity", map[string]any{"entity": "pytorch"}), want: []string{"has no type: use type/pytorch"}},
	{wrong: true, step: toolCall("get_entity", map[string]any{"entity": "tool/../../developer/api-keys"}), want: []string{"does not have the form type/slug"}},
	{wrong: true, step: toolCall("get_entity", map[string]any{"entity": "tool/pytorch", "vew": "full"}), want: []string{`unknown argument "vew"; did you mean view?`}},
	{wrong: true, step: toolCall("get_entity", map[string]any{"view": "full"}), want: []string{`required: missing properties: ["entity"]`}},
	{wrong: true, step: toolCall("get_entity", map[string]any{"entity": "tool/pytorch", "view": "ful"}), want: []string{`view: "ful" is not one of summary, full, score; did you mean full?`}},
	{wrong: true, step: toolCall("get_entity", map[string]any{"entity": "tool/pytorch", "at": "2001-01-01"}), want: []string{"There is no history for 2001-01-01"}},
	{wrong: true, step: toolCall("search", map[string]any{"query": "x", "category": "npl"}), want: []string{`"npl" is not a known value. Did you mean nlp?`}},
	{wrong: true, step: toolCall("search", map[string]any{"query": "x", "modality": "text,imge"}), want: []string{`"imge" is not one of text, image, audio`, "Did you mean image?"}},
	{wrong: true, step: toolCall("search", map[string]any{"query": "x", "limit": 500}), want: []string{"/limit: maximum: 500/1 is greater than 50"}},
	{wrong: true, step: toolCall("search", map[string]any{"query": []string{"x", "y"}}), want: []string{`want "string"`}},
	{wrong: true, step: toolCall("leaderboard", map[string]any{"category": "nope"}), want: []string{"expected one of: all, agent-frameworks, "}},
	{wrong: true, step: toolCall("compare", map[string]any{"entities": []string{"tool/pytorch"}}), want: []string{"a list of 2 to 4"}},
	{wrong: true, step: toolCall("compare", map[string]any{"entities": []string{"tool/pytorch", "tool/tensorflw"}}), want: []string{"Did you mean tool/tensorflow?"}},
	{wrong: true, step: toolCall("changes_since", map[string]any{"since": "yesterday"}), want: []string{"neither a day (YYYY-MM-DD), nor"}},
	{wrong: true, step: toolCall("serch", nil), want: []string{`Unknown tool "serch"; did you mean search?`}},

	{step: step{"readResource", map[string]any{"uri": "kindex://categories"}}, want: []string{`"slug":"nlp"`}},
	{step: step{"readResource", map[string]any{"uri": "kindex://boards"}}, want: []string{`"data":[`}},
	{wrong: true, step: step{"readResource", map[string]any{"uri": "file:///etc/passwd"}}, want: []string{"not found"}},
	{wrong: true, step: step{"subscribeResource", map[string]any{"uri": "kindex://categories"}}, want: []string{"subscribe"}},
}

// TestAgents runs the steps over every transport: over stdin and stdout, with data from a
// build and from a service, and over HTTP. The results must be the same.
func TestAgents(t *testing.T) {
	suite.InTest(t)
	e := edgetest.Start(t, edge.Options{Dir: edgetest.Built(t), LimitKey: 10_000})
	key := e.Key(t, "agents")
	temporary := t.TempDir()
	ways := map[string]map[string]any{
		"build":   {"command": "kindex", "args": []string{"mcp", "--dir", e.Dir}, "env": map[string]string{"TMPDIR": temporary}},
		"service": {"command": "kindex", "args": []string{"mcp", "--url", e.URL}, "env": map[string]string{apiKeyVariable: key}},
		"http":    {"url": e.URL + "/mcp", "headers": map[string]string{"x-api-key": key}},
	}
	steps := []step{{"listTools"}, {"listResources"}}
	own := len(steps)
	for _, s := range agentSteps {
		steps = append(steps, s.step)
	}
	results := map[string][]done{}
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		list := agent(t, ways[name], steps...)
		if len(list) != len(steps)+1 {
			t.Fatalf("%s: %d of %d steps: %+v", name, len(list), len(steps)+1, list)
		}
		checkServer(t, name, list[:own+1])
		results[name] = list[own+1:]
		for i, s := range agentSteps {
			got := list[own+1+i]
			what := fmt.Sprintf("%s: %v", name, s.step)
			if wrong := got.Error != "" || got.Result.IsError; wrong != s.wrong {
				t.Errorf("%s is an error: %v: %s", what, wrong, got.text())
			}
			for _, want := range s.want {
				suite.Contains(t, got.text(), want, what)
			}
			if !reflect.DeepEqual(got, results["build"][i]) {
				t.Errorf("%s differs from the result for a build: %+v, %+v", what, got, results["build"][i])
			}
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// checkServer checks a server's description of itself and its tools.
func checkServer(t *testing.T, name string, list []done) {
	t.Helper()
	self, tools := list[0].Result, list[1].Result.Tools
	if self.Server.Name != "kindex" || self.Server.Version == "" || !strings.Contains(self.Instructions, "search") ||
		len(self.Capabilities) != 2 || self.Capabilities["tools"] == nil || self.Capabilities["resources"] == nil {
		t.Errorf("%s: %+v", name, self)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || len(tool.Description) < 60 || tool.OutputSchema == nil || tool.InputSchema.AdditionalProperties != false {
			t.Errorf("%s: %+v", name, tool)
		}
		for argument, a := range tool.InputSchema.Properties {
			if a.Description == "" || argument == "category" && (len(a.Examples) > 0) == (name == "service") {
				t.Errorf("%s: %s %s: %+v", name, tool.Name, argument, a)
			}
		}
	}
	if want := []string{"changes_since", "compare", "cost", "get_entity", "leaderboard", "prices", "search", "similar", "trending"}; !slices.Equal(names, want) {
		t.Errorf("%s: %v", name, names)
	}
	if size, err := json.Marshal(tools); err != nil || len(size) > 21_000 {
		t.Errorf("%s: the list of tools has %d bytes, which every conversation has to carry", name, len(size))
	}
	if len(list[2].Result.Resources) != 2 {
		t.Errorf("%s: %+v", name, list[2].Result)
	}
}

// TestAgentsAreCounted checks that a call to compare counts as one request per entity, that
// a call to any other tool counts as one request, and that everything else is free. Once
// the limit is exceeded, the error must state when to retry.
func TestAgentsAreCounted(t *testing.T) {
	suite.InTest(t)
	const limit = 5
	e := edgetest.Start(t, edge.Options{Dir: edgetest.Built(t), LimitKey: limit, LimitAnonymous: 1})
	one, compare := toolCall("search", map[string]any{"query": "pytorch", "limit": 1}), toolCall("compare", map[string]any{"entities": []string{"tool/pytorch", "tool/tensorflow"}})
	for _, way := range []string{"service", "http"} {
		key := e.Key(t, way)
		to := map[string]any{"url": e.URL + "/mcp", "headers": map[string]string{"x-api-key": key}}
		if way == "service" {
			file := filepath.Join(t.TempDir(), "key")
			suite.Check(t, os.WriteFile(file, []byte(key+"\n"), 0o600))
			to = map[string]any{"command": "kindex", "args": []string{"mcp", "--url", e.URL, "--key-file", file}}
		}
		left := step{"left", map[string]any{"url": e.URL + "/api/openapi", "headers": map[string]string{"x-api-key": key}}}
		list := agent(t, to, step{"listTools"}, step{"listResources"}, step{"ping"}, toolCall("search", nil), left, one, left, compare, left, one, one, one)
		if len(list) != 13 {
			t.Fatalf("%s: %d of 13 results: %+v", way, len(list), list)
		}
		for i, want := range map[int]string{5: "5", 7: "4", 9: "2"} { // after free calls, one call, and compare
			if got := list[i].text(); got != want {
				t.Errorf("%s: after step %d, %s requests are left, want %s", way, i, got, want)
			}
		}
		if list[11].Result.IsError {
			t.Errorf("%s: the last request is refused: %+v", way, list[11])
		}
		if last := list[12]; !last.Result.IsError || !strings.Contains(last.text(), "limit of 5 requests has been reached") || !strings.Contains(last.text(), "Do not try again for") {
			t.Errorf("%s: %+v", way, last)
		}
	}
	bad := agent(t, map[string]any{"url": e.URL + "/mcp", "headers": map[string]string{"x-api-key": "kx_nobody"}}, one)
	if len(bad) != 1 || !strings.Contains(bad[0].Error, "This is not an API key") {
		t.Errorf("a bad key: %+v", bad)
	}
}

// TestAgentFollowsBuilds checks that a server that reads builds switches to each new build,
// and exits when it is asked to.
func TestAgentFollowsBuilds(t *testing.T) {
	suite.InTest(t)
	content, out := t.TempDir(), t.TempDir()
	build := func(version string) {
		t.Helper()
		writeFile(t, filepath.Join(content, "tool", "pymc.yaml"), "name: PyMC\ncategory: statistics\ndescription: Bayesian models.\nversion: "+version+"\n")
		edgetest.Build(t, content, out)
	}
	build("one")
	cmd := exec.Command("kindex", "mcp", "--dir", out)
	var said strings.Builder
	cmd.Stderr = &said
	cs := suite.Must(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil))(t)
	version := func() string {
		t.Helper()
		r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_entity", Arguments: map[string]any{"entity": "tool/pymc"}})
		if err != nil || r.IsError {
			t.Fatal(err, r)
		}
		var got struct{ Version string }
		suite.Check(t, json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &got))
		return got.Version
	}
	suite.Equal(t, version(), "one")
	build("two")
	for end := time.Now().Add(hanging); version() != "two"; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the server does not move to the new build")
		}
	}
	suite.Check(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cs.Wait() // wait for the connection to close
	_ = cs.Close()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 0 || said.String() != "" {
		t.Errorf("ended with %v: %s", cmd.ProcessState, said.String())
	}
}

// TestAgentsOfAnotherProtocol checks that the server also supports clients that use the
// newest protocol version, which has no handshake.
func TestAgentsOfAnotherProtocol(t *testing.T) {
	suite.InTest(t)
	var mu sync.Mutex
	spoken := map[string]bool{}
	e := edgetest.Start(t, edge.Options{Dir: edgetest.Built(t)}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			spoken[r.Header.Get("Mcp-Protocol-Version")] = true
			mu.Unlock()
			next.ServeHTTP(w, r)
		})
	})
	cs := suite.Must(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: e.URL + "/mcp"}, nil))(t)
	defer cs.Close()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "pytorch", "limit": 1}})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "tool/pytorch") {
		t.Errorf("%v %+v", err, r)
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "serch"}); err == nil || !strings.Contains(err.Error(), "did you mean search?") {
		t.Errorf("%v", err)
	}
	page, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "kindex://categories"})
	if err != nil || page.Contents[0].MIMEType != "application/json" {
		t.Errorf("%v %+v", err, page)
	}
	mu.Lock()
	defer mu.Unlock()
	if newest := mcp.SupportedProtocolVersions()[0]; !spoken[newest] {
		t.Errorf("the protocols are %v, without %s", spoken, newest)
	}
}
