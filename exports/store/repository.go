package store

import (
	"net/url"
	"path"
	"strconv"
	"strings"
)

// Repository is where the repository of the content is on the web, for links to
// what a page is made from. Its methods give addresses of pages for people in the
// layout of the program that serves them, which is told by the name of the host:
// GitLab, Gitea and Forgejo (codeberg.org among them), else GitHub. They ask
// nobody, so whether there is such a page nobody has checked. A nil Repository has
// no pages: each method then returns "".
type Repository struct {
	URL    string `json:"url"`    // http or https, without a slash or .git at the end
	Branch string `json:"branch"` // that the content is edited on
	Path   string `json:"path"`   // of the content folder within the repository, with slashes; "" for its top, and outside git
}

// hosting is how a program that serves repositories lays out their pages. Each is
// what follows the address of the repository, up to what is named.
type hosting struct {
	commit, pull, edit, create, view string
	// name and text are the parameters that fill in the page of a new file, "" for
	// none.
	name, text string
}

var (
	gitHub = hosting{"/commit/", "/pull/", "/edit/", "/new/", "/blob/", "filename", "value"}
	gitLab = hosting{"/-/commit/", "/-/merge_requests/", "/-/edit/", "/-/new/", "/-/blob/", "file_name", ""}
	gitea  = hosting{"/commit/", "/pulls/", "/_edit/", "/_new/", "/src/branch/", "filename", "value"}
)

// hosting tells the layout by the host.
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

// Commit is the page of a commit, "" without one.
func (r *Repository) Commit(hash string) string {
	if r == nil || hash == "" {
		return ""
	}
	return r.URL + r.hosting().commit + url.PathEscape(hash)
}

// Pull is the page of a pull request, which GitLab calls a merge request; "" for
// a number below 1.
func (r *Repository) Pull(number int) string {
	if r == nil || number < 1 {
		return ""
	}
	return r.URL + r.hosting().pull + strconv.Itoa(number)
}

// Edit is the page that opens an editor for a file, given by its path below the
// content folder, such as tool/pytorch.yaml.
func (r *Repository) Edit(file string) string {
	if r == nil {
		return ""
	}
	return r.URL + r.hosting().edit + r.branchPath(file)
}

// View is the page that shows a file, given as to Edit.
func (r *Repository) View(file string) string {
	if r == nil {
		return ""
	}
	return r.URL + r.hosting().view + r.branchPath(file)
}

// maxPageURLLen is how many bytes the address of a filled-in page may have. Servers
// refuse requests whose first line has more than about 8,000.
const maxPageURLLen = 6000

// New is the page that opens an editor for a file that is not there yet, given as
// to Edit, with its name filled in. So is the text, but on GitLab, which takes
// none, and where the address would have more than 6,000 bytes.
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

// branchPath is the end of the address of a file.
func (r *Repository) branchPath(file string) string {
	return escapePath(r.Branch + "/" + r.repoPath(file))
}

// repoPath is the path of a file from the top of the repository. It does not leave
// the content folder.
func (r *Repository) repoPath(file string) string {
	return strings.TrimPrefix(path.Join(r.Path, path.Clean("/"+file)), "/")
}

// escapePath escapes what is between the slashes of a path.
func escapePath(s string) string {
	parts := strings.Split(s, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// escapeQuery escapes the value of a parameter, a space as everybody reads it.
func escapeQuery(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
