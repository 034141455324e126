package gitlog

import (
	"regexp"
	"strconv"
)

// Patterns of the merge commit messages that hosting services write.
var (
	giteaMerge     = regexp.MustCompile(`^Merge pull request '.*' \(#([1-9][0-9]{0,8})\) from `) // also Forgejo and Codeberg
	azureMerge     = regexp.MustCompile(`^Merged PR ([1-9][0-9]{0,8}): `)
	serverMerge    = regexp.MustCompile(`^Pull request #([1-9][0-9]{0,8}): `) // Bitbucket Data Center
	githubMerge    = regexp.MustCompile(`^Merge pull request #([1-9][0-9]{0,8}) from `)
	bitbucketMerge = regexp.MustCompile(`^Merged in .+ \(pull request #([1-9][0-9]{0,8})\)$`)
	squashed       = regexp.MustCompile(`\(#([1-9][0-9]{0,8})\)$`)
	gitlabMerge    = regexp.MustCompile(`(?m)^See merge request [^\s!]*!([1-9][0-9]{0,8})\r?$`)
)

// pullRequest returns the number of the pull request that a commit merges, as recorded by
// GitHub, GitLab, Gitea, Forgejo, Azure DevOps or Bitbucket, or 0 if there is none. Other numbers in a message are ignored.
func pullRequest(subject, body string, merge bool) int {
	for _, form := range []*regexp.Regexp{githubMerge, giteaMerge, azureMerge, bitbucketMerge, serverMerge, squashed} {
		if m := form.FindStringSubmatch(subject); m != nil {
			return number(m[1])
		}
	}
	if all := gitlabMerge.FindAllStringSubmatch(body, -1); merge && len(all) > 0 {
		return number(all[len(all)-1][1])
	}
	return 0
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // at most nine digits
	return n
}
