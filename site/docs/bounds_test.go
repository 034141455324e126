package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kindex/builder/suite"
)

// boundTests names, for each row in the tables of bounds in security.md, the test that
// checks it, given by folder and function.
var boundTests = map[string]string{
	"a slow reader of a filtered export while other exports are queued": "edge TestAttackSlowReaders",
	"rows of a filtered export in memory":                               "exports/table TestStreamsHoldLittle",
	"a query":                                                           "edge TestAttackRepeatedValues",
	"ranges of a request":                                               "edge TestAttackManyRanges",
	"a JSON body":                                                       "edge TestAttackBodyBombs",
	"identifiers in a batch":                                            "edge TestResolveOne",
	"an audited file":                                                   "builder/audit/manifest TestLimits",
	"entries of a list in a submission that are checked":                "edge TestAttackSubmissionCost",
	"connections without a request":                                     "cmd/kindex TestAttackIdleConnections",
	"counts and page allowances in memory":                              "edge/ratelimit TestAttackManyAddresses",
	"licences remembered by content checks":                             "edge TestMemoryOfLicences",
	"active keys":                                                       "edge/storage TestKeyLimitUnderConcurrentCreation",
	"revoked and expired keys":                                          "edge/storage TestInactiveKeysAreBounded",
	"audit log entries":                                                 "edge/storage TestAuditIsBounded",
	"open submissions":                                                  "edge TestAttackSubmissionFlood",
	"closed submissions":                                                "edge/storage TestClosedSubmissionsAreBounded",
	"webhooks":                                                          "edge/webhook TestAnAccountHasTenWebhooksAtMost",
	"responses stored for an `Idempotency-Key`":                         "edge/storage TestIdempotencyIsBounded",
	"sessions":                                                          "edge/storage TestSessions",
	"webhook hosts remembered":                                          "builder/safedial TestManyHostsAreForgotten",
	"retirement notices":                                                "edge/storage TestNotices",
	"metric series":                                                     "edge/webhook TestStatusesThatAreNone",
	"attempts to reach one host, by webhooks of all accounts": "edge TestWebhooksAimedAtOneHost",
	"connections to one address by webhooks":                  "edge TestWebhooksAimedAtOneAddress",
	"queued tests and replays":                                "edge TestContract",
	"a challenge at registration":                             "edge TestWebhookChallenge",
	"bytes and time for the response of an endpoint":          "edge/webhook TestLargeAnswersAreNotRead",
	"bytes and time for the response of a forge":              "edge/submission/github TestEndlessAnswers",
	"bytes and time for the response of a sign-in provider":   "edge/auth TestGitHubAnswers",
	"a YAML file":                            "builder/content TestLintRaw",
	"programs started":                       "cmd/kindex TestHostileRepositories",
	"the message of a commit":                "cmd/kindex TestHostileCommit",
	"the manifest of a build that is opened": "cmd/kindex TestScripts",
}

// TestEveryBoundHasATest reads the tables of bounds and looks for their tests.
func TestEveryBoundHasATest(t *testing.T) {
	text := suite.Must(os.ReadFile("security.md"))(t)
	_, section, _ := strings.Cut(string(text), "\n## Bounds\n")
	section, _, _ = strings.Cut(section, "\n## ")
	seen := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*?) \| .* \|$`).FindAllStringSubmatch(section, -1) {
		name := row[1]
		if name == "---" || strings.Contains(row[0], "| bound |") {
			continue
		}
		seen[name] = true
		dir, function, ok := strings.Cut(boundTests[name], " ")
		if !ok {
			t.Errorf("%q names no test", name)
			continue
		}
		if !declares(t, filepath.Join(suite.Root(t), dir), function) {
			t.Errorf("%q: no %s in %s", name, function, dir)
		}
	}
	for name := range boundTests {
		if !seen[name] {
			t.Errorf("the tables have no row %q", name)
		}
	}
}

// declares reports whether a test file in a folder declares a test.
func declares(t *testing.T, dir, function string) bool {
	t.Helper()
	files := suite.Must(filepath.Glob(filepath.Join(dir, "*_test.go")))(t)
	for _, file := range files {
		text := suite.Must(os.ReadFile(file))(t)
		if strings.Contains(string(text), "\nfunc "+function+"(t *testing.T)") {
			return true
		}
	}
	return false
}
