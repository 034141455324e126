package main

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/edge/storage/storagetest"
)

var operating = filepath.Join("..", "..", "site", "docs", "operating.md")

const unit = "../../site/docs/systemd/kindex.service"

// asOperator is a shell prelude that replaces the programs that need root. Its fake
// systemctl runs the command in the systemd unit.
const asOperator = `set -euo pipefail
sudo() { test "$1 $2" = "-u kindex"; shift 2; "$@"; }
chown() { test "$1" = kindex; }
running=
systemctl() {
  test "$2" = kindex
  case "$1" in
  start)
    test -z "$running"
    (set -a; . ETC/kindex.env; set +a; exec EXECSTART --addr PUBLIC --admin PRIVATE) >>LOG 2>&1 &
    running=$!
    for i in $(seq 1500); do curl -fs http://PRIVATE/readyz >/dev/null && return; sleep 0.2; done
    return 1 ;;
  stop) kill -TERM "$running"; wait "$running"; running= ;;
  restart) systemctl stop kindex; systemctl start kindex ;;
  *) return 1 ;;
  esac
}
trap 'test -z "$running" || kill "$running"' EXIT
`

// TestOperating runs the commands on the page for operators in order, but with folders,
// addresses and a database of its own.
func TestOperating(t *testing.T) {
	suite.InTest(t)
	database, dir := storagetest.PostgreSQL(t), t.TempDir()
	page := readText(t, operating)
	blocks := regexp.MustCompile("(?s)\n```sh\n(.*?)```\n").FindAllStringSubmatch(page, -1)
	settings := regexp.MustCompile("(?s)\n```\n(KINDEX_.*?)```\n").FindStringSubmatch(page)
	execStart := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(readText(t, unit))
	if len(blocks) != 9 || settings == nil || execStart == nil {
		t.Fatalf("%d blocks, want 9; settings %q, started by %q", len(blocks), settings, execStart)
	}
	var script strings.Builder
	script.WriteString(strings.Replace(asOperator, "EXECSTART", execStart[1], 1))
	for _, b := range blocks {
		script.WriteString("\n" + b[1])
	}
	script.WriteString("\nkindex accounts list --state \"$DATABASE\"; kindex state check --state \"$DATABASE\"; systemctl stop kindex\n")
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"state", "etc", "backups", "programs", "work/bin"} {
		suite.Check(t, os.MkdirAll(in(name), 0o755))
	}
	writeContent(t, in("content"), 3)
	suite.Check(t, os.WriteFile(in("etc/kindex.env"), []byte(settings[1]), 0o600))
	installed := suite.Must(exec.LookPath("kindex"))(t)
	for _, name := range []string{"work/bin/kindex", "programs/kindex"} {
		suite.Check(t, os.Symlink(installed, in(name)))
	}
	public, private := suite.FreeAddress(t), suite.FreeAddress(t)
	text := strings.NewReplacer("/var/lib/kindex", in("state"), "/etc/kindex", in("etc"), "ETC", in("etc"), "/var/backups/kindex", in("backups"),
		"/srv/index/content", in("content"), "/usr/local/bin/kindex", in("programs/kindex"), "LOG", in("log"),
		"127.0.0.1:8081", private, "PRIVATE", private, "PUBLIC", public).Replace(script.String())
	ctx, cancel := context.WithTimeout(t.Context(), hanging)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir = in("work")
	cmd.Env = append(os.Environ(), append(programEnvironment, "DATABASE="+database)...)
	cmd.WaitDelay = hanging
	out, err := cmd.CombinedOutput()
	if err != nil {
		log, _ := os.ReadFile(in("log"))
		t.Fatalf("%v\n%s\nthe edge:\n%s", err, out, log)
	}
	for _, want := range []string{`"state":"reachable"`, `kx_\w{38}\n`, `backed up .*state\.db: .* no problems`, `copied .*/state\.db to .*kindex\.db, verified`,
		`copied .* to postgres://.*, verified`, `sealed 0 secrets with`, `has schema version \d+ \(current\)`, `ada .*5000 per UTC day`, `: PostgreSQL [\s\S]*no problems\n$`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	for _, name := range []string{"state/before/kindex.db", "state/moved/kindex.db", "etc/operator.key", "backups/state.db"} {
		if i, err := os.Stat(in(name)); err != nil || i.Mode().Perm() != 0o600 || i.Size() == 0 {
			t.Errorf("%v %v", i, err)
		}
	}
	if n := len(strings.Fields(readText(t, in("etc/operator.key")))); n != 1 {
		t.Errorf("the key file has %d keys", n)
	}
}

// TestOperatingBlocks checks that there is a reason for every block that TestOperating
// does not run.
func TestOperatingBlocks(t *testing.T) {
	reasons := map[string]string{
		"# useradd":                "makes users and files of the machine; TestUnit reads the unit",
		"KINDEX_URL=https":         "TestOperating starts the service with it, and TestEnvironmentFile checks it",
		"server {":                 "for nginx; edge/limits_test.go sends what such a proxy sends",
		"reverse_proxy":            "for Caddy; edge/limits_test.go sends what such a proxy sends",
		"KINDEX_SIGNIN_GITHUB":     "secrets of providers; TestSignIn of edge/signin_test.go signs in",
		"KINDEX_FORGE=":            "a token of a forge; testdata/script/submissions_forge.txtar has one",
		"webhook.challenge":        "a message; TestWebhookChallenge of edge/webhook_bounds_test.go answers it",
		"CREATE ROLE kindex LOGIN": "roles are the whole server's, which tests share",
	}
	for _, b := range edgetest.Blocks(t, "site/docs/operating.md") {
		if b.Language == "sh" {
			continue
		}
		found := false
		for text, reason := range reasons {
			if strings.Contains(b.Text, text) {
				t.Logf("operating.md:%d: not run: %s", b.Line, reason)
				delete(reasons, text)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("operating.md:%d is neither run nor has a reason:\n%s", b.Line, b.Text)
		}
	}
	for text := range reasons {
		t.Errorf("no block contains %s", text)
	}
}

// TestOperatingIsWhole checks that the pages for operators cover every metric and every table of
// the database.
func TestOperatingIsWhole(t *testing.T) {
	alerts := readText(t, filepath.Join(filepath.Dir(operating), "alerts.md"))
	told := regexp.MustCompile("`(kindex_[a-z_]+)`").FindAllStringSubmatch(alerts, -1)
	var inPage []string
	for _, m := range told {
		inPage = append(inPage, m[1])
	}
	var inCode []string
	suite.Check(t, filepath.WalkDir("../../edge", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range regexp.MustCompile(`Name: "(kindex_[a-z_]+)"`).FindAllStringSubmatch(readText(t, path), -1) {
			inCode = append(inCode, m[1])
		}
		return nil
	}))
	for _, name := range inCode {
		if !slices.Contains(inPage, name) && name != "kindex_webhook_attempt_seconds" && name != "kindex_webhook_attempts_under_way" {
			t.Errorf("alerts.md does not mention %s", name)
		}
	}
	for _, name := range inPage {
		if !slices.Contains(inCode, name) {
			t.Errorf("unknown metric %s", name)
		}
	}
	security := readText(t, filepath.Join(suite.Root(t), "site", "docs", "security.md"))
	r, err := storagetest.SQLite(t).Check(t.Context())
	if err != nil || len(r.Counts) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	for _, c := range r.Counts {
		suite.Contains(t, security, "`"+c.Table+"`", c.Table)
	}
}

// TestUnit checks the systemd unit, and lets systemd verify it if systemd is installed.
func TestUnit(t *testing.T) {
	text := readText(t, unit)
	set := map[string]string{}
	for n, line := range strings.Split(text, "\n") {
		name, value, ok := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#' || line[0] == '[' && line[len(line)-1] == ']':
		case !ok:
			t.Errorf("line %d: %s", n+1, line)
		default:
			set[name] = value
		}
	}
	for name, want := range map[string]string{"User": "kindex", "StateDirectory": "kindex", "ProtectSystem": "strict", "NoNewPrivileges": "yes",
		"Restart": "on-failure", "LimitNOFILE": "65536", "UMask": "0077"} {
		suite.Equal(t, set[name], want, name)
	}
	drain, err := time.ParseDuration(serveCommand().Flags().Lookup("drain").DefValue)
	stop, err2 := time.ParseDuration(set["TimeoutStopSec"] + "s")
	if err != nil || err2 != nil || stop < drain+10*time.Second {
		t.Errorf("systemd waits %v, but an edge drains for %v: %v %v", stop, drain, err, err2)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Log("NOT RUN: systemd-analyze is not installed here")
		return
	}
	// The program that the unit starts must exist.
	name := filepath.Join(t.TempDir(), "kindex.service")
	suite.Check(t, os.WriteFile(name, []byte(strings.Replace(text, "/usr/local/bin/kindex", "/bin/true", 1)), 0o644))
	if out, err := exec.Command("systemd-analyze", "verify", name).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
