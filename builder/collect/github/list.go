package github

import (
	"context"
	"fmt"
	"strings"

	"kindex/builder/collect"
	"kindex/builder/content"
)

// found is the number of repositories that List reads of each topic.
const found = 50

// List implements collect.Lister: the repositories with the most stars in each topic.
func (s *Source) List(ctx context.Context, c collect.Client) (list []collect.Candidate, err error) {
	seen := map[string]bool{}
	for _, topic := range s.topics {
		var r reply[struct {
			Nodes []repository `json:"nodes"`
		}]
		q := fmt.Sprintf("topic:%s stars:>=%d archived:false fork:false sort:stars-desc", topic, s.minStars)
		text := fmt.Sprintf("query($since:GitTimestamp!,$q:String!){search(query:$q,type:REPOSITORY,first:%d){nodes{... on Repository%s}}}", found, fields)
		if err := s.query(ctx, c, text, map[string]any{"q": q}, &r); err != nil {
			return list, err
		}
		if len(r.Errors) > 0 {
			return list, fmt.Errorf("GitHub: %s", r.Errors[0].Message)
		}
		for _, repo := range r.Data["search"].Nodes {
			owner, short, _ := strings.Cut(repo.NameWithOwner, "/")
			slug := content.Slugify(short)
			if !name.MatchString(repo.NameWithOwner) || seen[repo.NameWithOwner] || slug == "" {
				continue
			}
			seen[repo.NameWithOwner] = true
			page := "https://github.com/" + repo.NameWithOwner
			list = append(list, collect.Candidate{Type: "tool", Slug: slug, Answer: repo.answer(repo.NameWithOwner), Fields: map[string]any{
				"name": short, "provider": owner, "url": page, "links": map[string]any{"repository": page}}})
		}
	}
	return list, nil
}
