package gitlog

import "testing"

var messages = []struct {
	subject, body string
	merge         bool
	want          int
}{
	{"Merge pull request #12 from ada/branch", "Add (#3)", true, 12},
	{"Merge pull request #12 from ada/branch (#13)", "", false, 12},
	{"Add a tool (#12)", "", false, 12},
	{`Revert "Add a tool (#3)" (#12)`, "This reverts commit aaaa.", false, 12},
	{`Revert "Add a tool (#3)"`, "", false, 0},
	{`Revert "Merge pull request #3 from x"`, "", false, 0},
	{"Fix #12", "See #12, (#13)", false, 0},
	{"Add (#12) again", "", false, 0},
	{"Add (#0)", "", false, 0},
	{"Add (#012)", "", false, 0},
	{"Add (# 12)", "", false, 0},
	{"Add (#1234567890)", "", false, 0},
	{"Add (#123456789)", "", false, 123456789},
	{"(#1)", "", false, 1},
	{"Merge branch 'x' into 'main'", "A title\n\nSee merge request group/sub/project!12\n", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request group/project!12\r\n", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request !12", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request group/project!3\n\nSee merge request group/project!12", true, 12},
	{"Merge branch 'x' into 'main'", "See merge request group/project!12", false, 0},
	{"Merge branch 'x' into 'main'", "Do see merge request group/project!12", true, 0},
	{"Merge branch 'x' into 'main'", "See merge request group/project!12 and more", true, 0},
	{"Merged in ada/branch (pull request #12)", "Add", true, 12},
	{"Merge pull request 'Add saw (again)' (#13) from ada/saw into main", "Reviewed-on: https://codeberg.org/acme/index/pulls/13", true, 13},
	{"Merge pull request #14 'Add' from ada/saw", "", true, 0},
	{"Merged PR 15: Add saw", "Related work items: #99", true, 15},
	{"Merged PR abc: Add saw", "", true, 0},
	{"Pull request #16: Add saw", "Merge in INDEX/index from saw to main", true, 16},
	{"Pull request #17 was fine", "", false, 0},
	{"merged in ada/branch (pull request #12)", "", true, 0},
	{"Merge pull request 12 from x", "", true, 0},
	{"", "", false, 0},
}

func TestPullRequest(t *testing.T) {
	for _, c := range messages {
		if got := pullRequest(c.subject, c.body, c.merge); got != c.want {
			t.Errorf("%q, %q, merge %v: %d, want %d", c.subject, c.body, c.merge, got, c.want)
		}
	}
}
