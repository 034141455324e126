package store

import (
	"net/url"
	"path"
	"strconv"
	"strings"
)

// Repository locates the repository of the content on the web, for links to sources. Its
// methods return URLs of web pages in the layout of the hosting software, which is derived
// from the host name: GitLab, Gitea or Forgejo (including codeberg.org), or GitHub for all
// other names. They do not check that the pages exist. All methods of a nil Repository return
// "".
type Repository struct {
	URL    string `json:"url"`    // http or https, without a slash or .git at the end
	Branch string `json:"branch"` // the branch on which the content is edited
	// Path is the slash-separated path of the content folder within the repository.
	// It is "" for the root and outside git.
	Path string `json:"path"`
}

// hosting describes how hosting software lays out its pages. Each field but the
// last two is the part of a page's URL between the repository's URL and the commit,
// number, branch or file.
type hosting struct {
	commit, pull, edit, create, view string
	// name and text are the query parameters that fill in the page for a new file,
	// or "" if the software has no such parameter.
	name, text string
}

var (
	gitHub = hosting{"/commit/", "/pull/", "/edit/", "/new/", "/blob/", "filename", "value"}
	gitLab = hosting{"/-/commit/", "/-/merge_requests/", "/-/edit/", "/-/new/", "/-/blob/", "file_name", ""}
	gitea  = hosting{"/commit/", "/pulls/", "/_edit/", "/_new/", "/src/branch/", "filename", "value"}
)

func (r *Repository) hosting() hosting {
	u, err := url.Parse(r.URL)
	if err != nil {
		return gitHub
	}
	switch host := strings.ToLower(u.Hostname()); {
	case strings.Contains(host, "gitlab"):
		return gitLab
	case host == "codeberg.org", strings.Contains(host, "gitea"), strings.Contains(host, "forgejo"):
		return gitea
	}
	return gitHub
}

// page returns the address of a page, of which part is what follows the repository's URL.
func (r *Repository) page(part func(hosting) string, rest string) string {
	if r == nil || rest == "" {
		return ""
	}
	return r.URL + part(r.hosting()) + rest
}

// Commit returns the page of a commit, or "" if hash is "".
func (r *Repository) Commit(hash string) string {
	return r.page(func(h hosting) string { return h.commit }, url.PathEscape(hash))
}

// Pull returns the page of a pull request (merge request on GitLab), or "" if the number is
// less than 1.
func (r *Repository) Pull(number int) string {
	if number < 1 {
		return ""
	}
	return r.page(func(h hosting) string { return h.pull }, strconv.Itoa(number))
}

// Edit returns the page that opens an editor for a file, given by its path in the
// content folder, such as tool/pytorch.yaml.
func (r *Repository) Edit(file string) string {
	return r.page(func(h hosting) string { return h.edit }, r.branchPath(file))
}

// View returns the page that shows a file, given by its path as in Edit.
func (r *Repository) View(file string) string {
	return r.page(func(h hosting) string { return h.view }, r.branchPath(file))
}

// maxPageURLLen is the maximum length in bytes of the URL of a filled-in page.
// Servers reject request lines of more than about 8,000 bytes.
const maxPageURLLen = 6000

// New returns the page that opens an editor for a new file with the name filled in.
// The file is given by its path as in Edit. The text is filled in too, unless the
// host is GitLab, which does not support it, or the URL would exceed 6,000 bytes.
func (r *Repository) New(file, text string) string {
	if r == nil {
		return ""
	}
	f := r.hosting()
	folder, name := path.Split(r.repoPath(file))
	page := r.URL + f.create + escapePath(strings.TrimSuffix(r.Branch+"/"+folder, "/")) + "?" + f.name + "=" + escapeQuery(name)
	if f.text == "" || text == "" {
		return page
	}
	if filled := page + "&" + f.text + "=" + escapeQuery(text); len(filled) <= maxPageURLLen {
		return filled
	}
	return page
}

func (r *Repository) branchPath(file string) string {
	if r == nil {
		return ""
	}
	return escapePath(r.Branch + "/" + r.repoPath(file))
}

// repoPath returns the path of a file from the root of the repository. The result
// is always in the content folder.
func (r *Repository) repoPath(file string) string {
	return strings.TrimPrefix(path.Join(r.Path, path.Clean("/"+file)), "/")
}

func escapePath(s string) string {
	parts := strings.Split(s, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// escapeQuery escapes the value of a query parameter, with %20 for a space.
func escapeQuery(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
