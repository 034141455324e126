package store_test

import (
	"net/url"
	"strings"
	"testing"

	"kindex/builder/suite"
	"kindex/exports/store"
)

// TestRepositoryPages compares URLs with those that the hosts use.
func TestRepositoryPages(t *testing.T) {
	at := func(address, branch, path string) *store.Repository {
		return &store.Repository{URL: address, Branch: branch, Path: path}
	}
	hub := at("https://github.com/ada/index", "main", "content")
	odd := at("https://github.com/ada/index", "feature/a b#1", "my content/ü")
	lab := at("https://gitlab.example.org/group/sub/index", "main", "content")
	tea := at("https://codeberg.org/ada/index", "main", "content")
	for _, c := range []struct{ name, got, want string }{
		{"GitHub commit", hub.Commit("39cdbfb2"), "https://github.com/ada/index/commit/39cdbfb2"},
		{"GitHub pull", hub.Pull(7), "https://github.com/ada/index/pull/7"},
		{"GitHub edit", hub.Edit("tool/pytorch.yaml"), "https://github.com/ada/index/edit/main/content/tool/pytorch.yaml"},
		{"GitHub view", hub.View("tool/pytorch.yaml"), "https://github.com/ada/index/blob/main/content/tool/pytorch.yaml"},
		{"GitHub new", hub.New("tool/x.yaml", "name: X & Y\n"),
			"https://github.com/ada/index/new/main/content/tool?filename=x.yaml&value=name%3A%20X%20%26%20Y%0A"},
		{"GitHub new without text", hub.New("tool/x.yaml", ""), "https://github.com/ada/index/new/main/content/tool?filename=x.yaml"},
		{"GitHub new at the top", at("https://github.com/ada/index", "main", "").New("index.yaml", ""), "https://github.com/ada/index/new/main?filename=index.yaml"},
		{"GitHub at the top", at("https://github.com/ada/index", "main", "").Edit("index.yaml"), "https://github.com/ada/index/edit/main/index.yaml"},
		{"odd edit", odd.Edit("tool/a?b.yaml"), "https://github.com/ada/index/edit/feature/a%20b%231/my%20content/%C3%BC/tool/a%3Fb.yaml"},
		{"odd new", odd.New("tool/a&b.yaml", "+%"), "https://github.com/ada/index/new/feature/a%20b%231/my%20content/%C3%BC/tool?filename=a%26b.yaml&value=%2B%25"},
		{"odd commit", hub.Commit("a/b?c"), "https://github.com/ada/index/commit/a%2Fb%3Fc"},
		{"out of the folder", hub.View("../../secret"), "https://github.com/ada/index/blob/main/content/secret"},
		{"GitLab commit", lab.Commit("39cdbfb2"), "https://gitlab.example.org/group/sub/index/-/commit/39cdbfb2"},
		{"GitLab pull", lab.Pull(7), "https://gitlab.example.org/group/sub/index/-/merge_requests/7"},
		{"GitLab edit", lab.Edit("tool/x.yaml"), "https://gitlab.example.org/group/sub/index/-/edit/main/content/tool/x.yaml"},
		{"GitLab view", lab.View("tool/x.yaml"), "https://gitlab.example.org/group/sub/index/-/blob/main/content/tool/x.yaml"},
		{"GitLab new", lab.New("tool/x.yaml", "name: X\n"), "https://gitlab.example.org/group/sub/index/-/new/main/content/tool?file_name=x.yaml"},
		{"Codeberg commit", tea.Commit("39cdbfb2"), "https://codeberg.org/ada/index/commit/39cdbfb2"},
		{"Codeberg pull", tea.Pull(7), "https://codeberg.org/ada/index/pulls/7"},
		{"Codeberg edit", tea.Edit("tool/x.yaml"), "https://codeberg.org/ada/index/_edit/main/content/tool/x.yaml"},
		{"Codeberg view", tea.View("tool/x.yaml"), "https://codeberg.org/ada/index/src/branch/main/content/tool/x.yaml"},
		{"Codeberg new", tea.New("tool/x.yaml", "a b"), "https://codeberg.org/ada/index/_new/main/content/tool?filename=x.yaml&value=a%20b"},
		{"Gitea", at("http://Gitea.example.org:3000/ada/index", "main", "").Pull(1), "http://Gitea.example.org:3000/ada/index/pulls/1"},
		{"Forgejo", at("https://forgejo.example.org/ada/index", "main", "").Pull(1), "https://forgejo.example.org/ada/index/pulls/1"},
		{"another host", at("https://git.example.org/gitlab/gitea", "main", "").Pull(1), "https://git.example.org/gitlab/gitea/pull/1"},
		{"no commit", hub.Commit(""), ""},
		{"no pull", hub.Pull(0), ""},
	} {
		suite.Equal(t, c.got, c.want, c.name)
		if _, err := url.Parse(c.got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestNewFileFilledIn tries texts that bring the URL close to the maximum length.
func TestNewFileFilledIn(t *testing.T) {
	r := &store.Repository{URL: "https://github.com/ada/index", Branch: "main", Path: "content"}
	plain := r.New("tool/x.yaml", "")
	room := 6000 - len(plain) - len("&value=")
	if got := r.New("tool/x.yaml", strings.Repeat("x", room)); len(got) != 6000 {
		t.Errorf("a text that just fits gives an address of %d bytes, want 6000", len(got))
	}
	for name, text := range map[string]string{"one byte more": strings.Repeat("x", room+1), "longer once escaped": strings.Repeat("ü", room/2)} {
		if got := r.New("tool/x.yaml", text); got != plain {
			t.Errorf("%s: the text is in the address, which has %d bytes", name, len(got))
		}
	}
	text := "name: A + B\ndescription: \"50 % & more, überall\"\n"
	u, err := url.Parse(r.New("tool/x.yaml", text))
	if err != nil || u.Query().Get("value") != text || u.Query().Get("filename") != "x.yaml" {
		t.Errorf("the parameters are read back as %q (%v)", u.Query(), err)
	}
}

// TestNoRepository checks that a nil Repository has no pages.
func TestNoRepository(t *testing.T) {
	var r *store.Repository
	for _, got := range []string{r.Commit("39cdbfb2"), r.Pull(1), r.Edit("tool/x.yaml"), r.View("tool/x.yaml"), r.New("tool/x.yaml", "a")} {
		suite.Equal(t, got, "")
	}
}
