// Package authtest provides sign-in providers for tests: npm's oidc-provider, and a
// server that behaves like GitHub Enterprise.
package authtest

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// Client and ClientSecret identify the service to the providers.
const (
	Client       = "kindex"
	ClientSecret = "the client's secret: with +, % and &"
)

//go:embed provider.mjs
var program []byte

// StartOIDC runs npm's oidc-provider until the test ends and returns its issuer. redirect
// is the only redirect URI it accepts; names maps subjects to display names. The login
// typed on its page becomes the subject, and any password works.
func StartOIDC(t testing.TB, redirect string, names map[string]string) string {
	t.Helper()
	site := filepath.Dir(suite.NodeModules(t, "oidc-provider"))
	text, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "provider.mjs")
	if err := os.WriteFile(script, program, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script, site, redirect, Client, ClientSecret, string(text))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the provider: %v", err)
		}
		if t.Failed() {
			t.Logf("the provider said:\n%s", output.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the provider does not start: %v\n%s", err, output.String())
	}
	return strings.TrimSpace(line)
}
