// Package authtest provides identity providers for tests: oidc-provider from npm, and a
// server that imitates GitHub Enterprise.
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

// Client and ClientSecret are the credentials of the service at the providers.
const (
	Client       = "kindex"
	ClientSecret = "the client's secret: with +, % and &"
)

//go:embed provider.mjs
var program []byte

// StartOIDC runs oidc-provider from npm until the test ends and returns its issuer. redirect is
// the only redirect URI it accepts; names maps subjects to display names. The login typed on
// its page becomes the subject, and any password is accepted.
func StartOIDC(t testing.TB, redirect string, names map[string]string) string {
	t.Helper()
	site := filepath.Dir(suite.NodeModules(t, "oidc-provider"))
	text := suite.Must(json.Marshal(names))(t)
	script := filepath.Join(t.TempDir(), "provider.mjs")
	suite.Check(t, os.WriteFile(script, program, 0o600))
	cmd := exec.Command("node", script, site, redirect, Client, ClientSecret, string(text))
	in := suite.Must(cmd.StdinPipe())(t)
	out := suite.Must(cmd.StdoutPipe())(t)
	var output strings.Builder
	cmd.Stderr = &output
	suite.Check(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("provider: %v", err)
		}
		if t.Failed() {
			t.Logf("the provider's output:\n%s", output.String())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the provider did not start: %v\n%s", err, output.String())
	}
	return strings.TrimSpace(line)
}
