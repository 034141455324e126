package openapi_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/edge"
	"kindex/edge/edgetest"
)

// goClient is a program that uses the client that oapi-codegen generates. It prints what
// it gets, and the code of an error.
const goClient = `package main

import (
	"context"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	c, err := NewClientWithResponses(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	limit := Limit(2)
	list, err := c.ListEntitiesWithResponse(ctx, &ListEntitiesParams{Limit: &limit})
	if err != nil || list.JSON200 == nil {
		log.Fatal("listEntities: ", err, list.Status())
	}
	for _, item := range list.JSON200.Data {
		e, err := item.AsEntity()
		if err != nil {
			log.Fatal("listEntities: ", err)
		}
		one, err := c.GetEntityWithResponse(ctx, e.Type, e.Slug, nil)
		if err != nil || one.JSON200 == nil {
			log.Fatal("getEntity: ", err, one.Status())
		}
		fmt.Println(one.JSON200.Name)
	}
	none, err := c.GetEntityWithResponse(ctx, "tool", "nothing-here", nil)
	if err != nil || none.ApplicationproblemJSON404 == nil {
		log.Fatal("getEntity: ", err, none.Status())
	}
	fmt.Println(none.ApplicationproblemJSON404.Code)
}
`

func TestMain(m *testing.M) { edgetest.Main(m) }

// TestGoClient generates a Go client with oapi-codegen, without renaming anything, and
// sends requests to an edge with it.
func TestGoClient(t *testing.T) {
	suite.InTest(t)
	suite.WithoutRace(t) // it tests another program
	t.Parallel()
	root, dir := suite.Root(t), t.TempDir()
	runGo := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOPROXY=off") // make test-tools has fetched the modules
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %v: %v: %s", args, err, stderr.Bytes())
		}
		return out
	}
	const description = "edge/openapi/openapi.yaml"
	tool := []string{"tool", "-modfile=.tools.mod", "oapi-codegen", "-package", "main"}
	if all := runGo(append(tool, description)...); !bytes.Contains(all, []byte("type ServerInterface interface")) {
		t.Error("with its default flags oapi-codegen generates no server")
	}
	client, program := filepath.Join(dir, "client.go"), filepath.Join(dir, "main.go")
	for path, text := range map[string][]byte{client: runGo(append(tool, "-generate", "types,client", description)...), program: []byte(goClient)} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := edgetest.Start(t, edge.Options{LimitAnonymous: 100})
	got := string(runGo("run", "-modfile=.tools.mod", client, program, e.URL))
	if lines := strings.Split(strings.TrimSpace(got), "\n"); len(lines) != 3 || lines[0] == "" || lines[2] != "unknown-entity" {
		t.Errorf("the program printed %q", got)
	}
}
