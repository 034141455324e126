package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"kindex/builder/suite"
)

// touch changes a file's time, so that git reads the file again.
const touch = "touch -d 2001-01-01 content/tool/hammer.yaml; "

// traps lists the documented ways in which a repository can make git run a program:
// git-config(1), gitattributes(5), githooks(5), gitremote-helpers(7), gitmodules(5).
var traps = []trap{
	{name: "bare repository in the content", refused: true, spring: "cd content && git status", set: func(h *hostile) {
		h.embed("content")
	}},
	{name: "bare repository above the content", refused: true, spring: "cd sub/content && git status", set: func(h *hostile) {
		// The trap is not in the content folder, because validate would notice it there.
		h.content = "sub/content"
		suite.Check(h, os.Mkdir(filepath.Join(h.dir, "sub"), 0o755))
		h.move(filepath.Join(h.dir, "content"), filepath.Join(h.dir, h.content))
		h.embed("sub")
	}},
	{name: "core.fsmonitor", spring: "git status", set: func(h *hostile) { h.config("core.fsmonitor", h.marker) }},
	{name: "config.worktree", spring: "git status", set: func(h *hostile) {
		h.config("extensions.worktreeConfig", "true")
		h.write(filepath.Join(h.dir, ".git", "config.worktree"), "[core]\n\tfsmonitor = "+h.marker+"\n")
	}},
	{name: "include.path", spring: "git status", set: func(h *hostile) {
		h.write(filepath.Join(h.dir, "settings"), "[core]\n\tfsmonitor = "+h.marker+"\n")
		h.config("include.path", "../settings")
	}},
	{name: "includeIf", spring: "git status", set: func(h *hostile) {
		h.write(filepath.Join(h.dir, "settings"), "[core]\n\tfsmonitor = "+h.marker+"\n")
		h.config("includeIf.gitdir:**.path", "../settings", "includeIf.onbranch:main.path", "../settings")
	}},
	{name: "linked working tree", spring: "git status", set: func(h *hostile) {
		main := filepath.Join(h.root, "main")
		h.move(h.dir, main)
		h.git(main, "checkout", "-q", "--detach")
		h.git(main, "worktree", "add", "-q", h.dir, "main")
		h.config("core.fsmonitor", h.marker)
	}},
	{name: "filter.clean of committed attributes", spring: touch + "git status", set: func(h *hostile) {
		h.attributes("filter=trap")
		h.config("filter.trap.clean", h.marker, "filter.trap.smudge", h.marker)
	}},
	{name: "filter.clean of info/attributes", spring: touch + "git diff", set: func(h *hostile) {
		h.write(filepath.Join(h.dir, ".git", "info", "attributes"), "*.yaml filter=trap\n")
		h.config("filter.trap.clean", h.marker)
	}},
	{name: "filter.clean of core.attributesFile", spring: touch + "git diff", set: func(h *hostile) {
		h.write(filepath.Join(h.root, "attributes"), "*.yaml filter=trap\n")
		h.config("filter.trap.clean", h.marker, "core.attributesFile", filepath.Join(h.root, "attributes"))
	}},
	{name: "filter.smudge", spring: "rm -r content && git checkout -- content", set: func(h *hostile) {
		h.attributes("filter=trap")
		h.config("filter.trap.smudge", h.marker)
	}},
	{name: "filter.process", spring: touch + "git status", set: func(h *hostile) {
		h.attributes("filter=trap")
		h.config("filter.trap.process", h.marker, "filter.trap.required", "true")
	}},
	{name: "diff.textconv", spring: "git log -p", set: func(h *hostile) {
		h.attributes("diff=trap")
		h.config("diff.trap.textconv", h.marker, "diff.trap.cachetextconv", "true")
	}},
	{name: "diff.command", spring: "git diff HEAD~1", set: func(h *hostile) {
		h.attributes("diff=trap")
		h.config("diff.trap.command", h.marker)
	}},
	{name: "diff.external", spring: "git diff HEAD~1", set: func(h *hostile) { h.config("diff.external", h.marker) }},
	{name: "merge.driver", spring: "git checkout -q -b side HEAD~1 && echo '# x' >> content/tool/hammer.yaml && git commit -qam side && git merge main", set: func(h *hostile) {
		h.attributes("merge=trap")
		h.config("merge.trap.driver", h.marker)
	}},
	{name: "hooks", spring: "git update-ref refs/heads/x HEAD; git checkout -q -b y; git push origin y", set: func(h *hostile) { h.hooks(filepath.Join(h.dir, ".git", "hooks")) }},
	{name: "core.hooksPath", spring: "git update-ref refs/heads/x HEAD", set: func(h *hostile) {
		h.hooks(filepath.Join(h.dir, "hooks"))
		h.config("core.hooksPath", "hooks")
	}},
	{name: "core.pager", spring: "script -qec 'git log' /dev/null < /dev/null", set: func(h *hostile) {
		h.config("core.pager", h.marker, "pager.rev-parse", h.marker, "pager.log", h.marker, "pager.ls-tree", h.marker)
	}},
	{name: "core.editor", spring: "git commit --amend; git -c core.editor= rebase -i HEAD~1", set: func(h *hostile) {
		h.config("core.editor", h.marker, "sequence.editor", h.marker)
	}},
	{name: "gpg.program to sign", spring: "git commit --allow-empty -m x", set: func(h *hostile) {
		h.config("gpg.program", h.marker, "commit.gpgSign", "true", "tag.gpgSign", "true", "push.gpgSign", "if-asked", "user.signingKey", "x")
	}},
	{name: "gpg.program to verify", other: true, spring: "git log -1", set: func(h *hostile) {
		h.config("gpg.program", h.marker, "log.showSignature", "true")
		h.signedHead()
	}},
	{name: "trailer.command", spring: "git interpret-trailers --trailer x=y < /dev/null", set: func(h *hostile) { h.config("trailer.x.command", h.marker, "trailer.x.key", "x") }},
	{name: "tar.command", spring: "git archive --format=trap HEAD > /dev/null", set: func(h *hostile) { h.config("tar.trap.command", h.marker) }},
	{name: "alias", spring: "git trap", set: func(h *hostile) {
		h.config("alias.trap", "!"+h.marker, "alias.rev-parse", "!"+h.marker, "alias.ls-tree", "!"+h.marker)
	}},

	{name: "core.sshCommand", remote: true, spring: "git ls-remote origin", set: func(h *hostile) {
		h.config("core.sshCommand", h.marker)
		h.origin("ssh://trap.invalid/example/other")
	}},
	{name: "core.gitProxy", remote: true, spring: "git ls-remote origin", set: func(h *hostile) {
		h.config("core.gitProxy", h.marker)
		h.origin("git://127.0.0.1:1/example/index.git")
	}},
	{name: "credential.helper", remote: true, spring: "git ls-remote origin", set: func(h *hostile) {
		h.config("credential.helper", h.marker)
		h.origin(h.login() + "/example/index.git")
	}},
	{name: "core.askPass", remote: true, spring: "git ls-remote origin", set: func(h *hostile) {
		h.config("core.askPass", h.marker)
		h.origin(h.login() + "/example/index.git")
	}},
	{name: "remote.uploadpack", spring: "git fetch origin", set: func(h *hostile) {
		h.config("remote.origin.uploadpack", h.marker, "remote.origin.receivepack", h.marker)
	}},
	{name: "remote.receivepack", spring: "git push origin main:x", set: func(h *hostile) { h.config("remote.origin.receivepack", h.marker) }},
	{name: "ext remote", remote: true, spring: "git ls-remote origin", set: func(h *hostile) {
		h.config("protocol.ext.allow", "always", "protocol.allow", "always")
		h.origin("ext::" + h.marker + " %S example/index.git")
	}},
	{name: "url.insteadOf", spring: "git ls-remote origin", set: func(h *hostile) {
		h.config("protocol.ext.allow", "always", "url.ext::"+h.marker+" %S .insteadOf", "file://")
	}},
	{name: "url.pushInsteadOf", spring: "git push origin main:x", set: func(h *hostile) {
		h.config("protocol.ext.allow", "always", "url.ext::"+h.marker+" %S .pushInsteadOf", "file://")
	}},
	{name: "remote with hooks of its own", spring: "git push origin main:x", set: func(h *hostile) { h.hooks(filepath.Join(h.bare, "hooks")) }},
	{name: "branch.pushRemote", spring: "git fetch", set: func(h *hostile) {
		h.config("protocol.ext.allow", "always", "remote.trap.url", "ext::"+h.marker+" %S x", "remote.pushDefault", "trap", "branch.main.merge", "refs/heads/main")
		h.git(h.dir, "config", "branch.main.remote", "trap")
	}},
	{name: "alternates", spring: `git fetch "$BARE" main`, set: func(h *hostile) {
		other := filepath.Join(h.root, "other")
		h.git(h.root, "clone", "-q", h.bare, other)
		h.write(filepath.Join(h.dir, ".git", "objects", "info", "alternates"), filepath.Join(other, ".git", "objects")+"\n")
		h.config("core.alternateRefsCommand", h.marker)
		// There must be something to fetch.
		h.write(filepath.Join(other, "readme"), "x")
		h.git(other, "add", "readme")
		h.git(other, "commit", "-q", "-m", "Third")
		h.git(other, "push", "-q", "origin", "main")
	}},
	{name: "submodule.update", spring: "git -c protocol.file.allow=always submodule update --init --force", set: func(h *hostile) {
		h.submodule()
		h.config("submodule.sub.update", "!"+h.marker)
		h.git(h.dir, "submodule", "deinit", "-q", "-f", "sub")
		h.config("submodule.sub.update", "!"+h.marker, "submodule.sub.url", h.bare)
	}},
	{name: "settings of a submodule", spring: "git status", set: func(h *hostile) {
		h.submodule()
		h.git(filepath.Join(h.dir, "sub"), "config", "core.fsmonitor", h.marker)
		h.config("submodule.recurse", "true", "diff.submodule", "diff")
	}},
	{name: "partial clone", other: true, spring: "git cat-file -p HEAD:lost; git log -p -1", set: func(h *hostile) {
		h.write(filepath.Join(h.dir, "lost"), "lost")
		h.commitQuietly("lost")
		blob := h.git(h.dir, "rev-parse", "HEAD:lost")
		suite.Check(h, os.Remove(filepath.Join(h.dir, ".git", "objects", blob[:2], blob[2:])))
		h.config("extensions.partialClone", "trap", "remote.trap.promisor", "true", "remote.trap.url", "file://"+h.bare, "remote.trap.uploadpack", h.marker,
			"core.repositoryFormatVersion", "1")
	}},
	{name: "replace reference", spring: "git show HEAD:content/tool/hammer.yaml", lie: "Forged", set: func(h *hostile) {
		head := h.git(h.dir, "rev-parse", "HEAD")
		h.git(h.dir, "replace", head, h.forged())
	}},
	{name: "grafts", spring: "git show HEAD~1:content/tool/hammer.yaml", lie: "Forged", set: func(h *hostile) {
		head := h.git(h.dir, "rev-parse", "HEAD")
		h.write(filepath.Join(h.dir, ".git", "info", "grafts"), head+" "+h.forged()+"\n")
	}},
}

// embed puts a nested repository with one commit into a folder.
func (h *hostile) embed(folder string) {
	inner := filepath.Join(h.root, "inner")
	h.git(h.root, "init", "-q", "-b", "main", inner)
	h.git(inner, "commit", "-q", "--allow-empty", "-m", "Inner")
	for _, name := range []string{"HEAD", "objects", "refs"} {
		h.move(filepath.Join(inner, ".git", name), filepath.Join(h.dir, folder, name))
	}
	h.write(filepath.Join(h.dir, folder, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "+h.marker+"\n")
	h.git(h.dir, "add", "-f", ".")
	h.git(h.dir, "commit", "-q", "-m", "Only data")
	h.git(h.dir, "push", "-q", "origin", "main")
}

// attributes sets git attributes for the entity files, in a file in the root of the
// checkout, as if the last commit contained that file.
func (h *hostile) attributes(what string) {
	h.write(filepath.Join(h.dir, ".gitattributes"), "*.yaml "+what+"\n")
}

// hooks turns every hook into a marker.
func (h *hostile) hooks(dir string) {
	for _, name := range strings.Fields("applypatch-msg commit-msg fsmonitor-watchman post-checkout post-commit post-index-change post-receive post-update " +
		"pre-auto-gc pre-commit pre-push pre-receive prepare-commit-msg proc-receive push-to-checkout reference-transaction update") {
		h.write(filepath.Join(dir, name), "#!/bin/sh\nexec '"+h.marker+"' "+name+"\n")
	}
}

func (h *hostile) origin(address string) { h.git(h.dir, "config", "remote.origin.url", address) }

func (h *hostile) move(from, to string) {
	suite.Check(h, os.Rename(from, to))
}

// login starts a host that asks for a password.
func (h *hostile) login() string {
	h.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="trap"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	h.Cleanup(h.http.Close)
	return h.http.URL
}

// submodule adds a submodule without committing it.
func (h *hostile) submodule() {
	h.git(h.dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", h.bare, "sub")
}

// signedHead adds a meaningless signature to the last commit.
func (h *hostile) signedHead() {
	h.replaceHead(func(commit string) string {
		header, rest, _ := strings.Cut(commit, "\n\n")
		return header + "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n" + rest
	})
}

// replaceHead replaces the last commit with an edited copy of its bytes.
func (h *hostile) replaceHead(edit func(string) string) {
	file := filepath.Join(h.root, "commit")
	h.write(file, edit(h.git(h.dir, "cat-file", "commit", "HEAD")+"\n"))
	h.pointHead(file)
}

// pointHead replaces the last commit with the contents of a file.
func (h *hostile) pointHead(file string) {
	h.git(h.dir, "update-ref", "refs/heads/main", h.git(h.dir, "hash-object", "-t", "commit", "-w", file))
	h.git(h.dir, "push", "-q", "-f", "origin", "main")
}

// commitQuietly commits a file outside the content. The honest repository does not have
// this commit.
func (h *hostile) commitQuietly(name string) {
	h.git(h.dir, "add", name)
	h.git(h.dir, "commit", "-q", "-m", name)
	h.git(h.dir, "push", "-q", "origin", "main")
}

// forged creates a commit with different data for the entity.
func (h *hostile) forged() string {
	file := filepath.Join(h.root, "forged")
	h.write(file, "name: Forged\ndescription: Drives nails.\ncategory: hand-tools\n")
	blob := h.git(h.dir, "hash-object", "-w", file)
	h.git(h.dir, "update-index", "--cacheinfo", "100644,"+blob+",content/tool/hammer.yaml")
	tree := h.git(h.dir, "write-tree")
	h.git(h.dir, "reset", "-q")
	return h.git(h.dir, "commit-tree", tree, "-m", "Forged")
}
