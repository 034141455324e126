package sdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
	"kindex/edge/openapi"
)

// TestOrval has orval generate a client and zod schemas from the description, compiles
// both, and parses responses from an edge with the schemas, which allow no unknown members.
func TestOrval(t *testing.T) {
	suite.InSoak(t, "a second generator; TestArchives compiles the types of openapi-typescript, and the edge's tests check its responses against the description")
	suite.NodeModules(t, "orval", "typescript")
	receiver := edgetest.NewReceiver(t)
	e := edgetest.Start(t, edge.Options{LimitKey: 1000, Contact: "operator@example.org", Guard: receiver.Guard})
	key := e.Key(t, "ada")
	p := &project{dir: t.TempDir()}
	suite.Check(t, os.CopyFS(p.dir, os.DirFS(filepath.Join("testdata", "orval"))))
	suite.Check(t, os.Symlink(nodeModules(t), filepath.Join(p.dir, "node_modules")))
	write(t, filepath.Join(p.dir, "openapi.yaml"), string(openapi.YAML))
	// orval reads the zod version from here.
	write(t, filepath.Join(p.dir, "package.json"), read(t, filepath.Join(nodeModules(t), "..", "package.json")))
	suite.Output(t, p.offline(t, "node_modules/orval/dist/bin/orval.js", "--config", "orval.config.ts"))
	suite.Output(t, p.offline(t, "node_modules/typescript/bin/tsc", "--project", "tsconfig.json"))

	var hook struct{ ID string }
	created := p.post(t, e.URL+"/api/webhooks", key, `{"url": "`+receiver.URL+`/hook", "events": ["entity.updated"]}`)
	if err := json.Unmarshal(created, &hook); err != nil || hook.ID == "" {
		t.Fatalf("%v: %s", err, created)
	}
	args := []string{"answers.mjs"}
	for _, o := range [][2]string{
		{"listEntities", "/api/entities?limit=100"},
		{"listEntities", "/api/entities?type=model&limit=100"},
		{"getEntity", "/api/entity/tool/pytorch"},
		{"getEntity", "/api/entity/model/claude-opus-4-8"},
		{"listEntityChanges", "/api/entity/tool/pytorch/changelog"},
		{"getEntityScore", "/api/entity/tool/pytorch/score"},
		{"getEntityScore", "/api/entity/model/claude-opus-4-8/score"},
		{"listSimilarEntities", "/api/entity/tool/pytorch/similar"},
		{"searchEntities", "/api/search?q=gradient+boosting"},
		{"searchEntities", "/api/search?q=pytrch"},
		{"suggestEntities", "/api/suggest?q=py"},
		{"getLeaderboard", "/api/leaderboard/all?limit=100"},
		{"listTrending", "/api/trending"},
		{"listChanges", "/api/changelog"},
		{"listCategories", "/api/categories"},
		{"exportEntities", "/api/export/entities?format=json"},
		{"exportLeaderboard", "/api/export/leaderboard?format=json"},
		{"exportChangelog", "/api/export/changelog?format=json"},
		{"getManifest", "/api/export/manifest"},
		{"listApiKeys", "/api/developer/api-keys"},
		{"listAuditLog", "/api/developer/audit"},
		{"listSubmissions", "/api/submissions"},
		{"listWebhooks", "/api/webhooks"},
		{"getWebhook", "/api/webhooks/" + hook.ID},
		{"listDeliveries", "/api/webhooks/" + hook.ID + "/deliveries"},
	} {
		args = append(args, o[0], o[1])
	}
	cmd := p.node(t, args...)
	cmd.Env = append(cmd.Env, "URL="+e.URL, "KEY="+key)
	var wrong []string
	if out := suite.Output(t, cmd); json.Unmarshal([]byte(out), &wrong) != nil {
		t.Fatalf("%s", out)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

// offline returns a Node program that cannot reach any network.
func (p *project) offline(t *testing.T, args ...string) *exec.Cmd {
	cmd := p.node(t, args...)
	cmd.Env = append(cmd.Env, "http_proxy=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", "NODE_USE_ENV_PROXY=1", "npm_config_offline=true")
	return cmd
}

// post sends JSON with a key, and returns the response.
func (p *project) post(t *testing.T, address, key, body string) []byte {
	t.Helper()
	return []byte(suite.Output(t, exec.CommandContext(t.Context(), "curl", "-fsS", "--noproxy", "*", "-H", "x-api-key: "+key, "--json", body, address)))
}
