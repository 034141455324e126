package manifest

import (
	"slices"
	"strings"
)

var packageJSONKeys = []string{"dependencies", "devDependencies", "peerDependencies", "optionalDependencies"}

// parsePackageJSON reads the package.json of a Node.js project.
func parsePackageJSON(f *file) error {
	return f.readJSON(func(v *jsonValue) error {
		if len(v.path) != 2 || !slices.Contains(packageJSONKeys, v.path[0]) {
			return nil
		}
		e := Entry{ID: "npm:" + v.path[1], Name: v.path[1], Version: v.text, Line: v.line}
		scheme, rest, _ := strings.Cut(v.text, ":")
		switch scheme {
		case "file", "link", "workspace", "portal":
			return nil // part of the project
		case "npm": // another name for a package
			name, version := rest, ""
			if at := strings.LastIndexByte(rest, '@'); at > 0 {
				name, version = rest[:at], rest[at+1:]
			}
			e.ID, e.Version = "npm:"+name, version
		case "git", "git+https", "git+ssh", "git+http":
			e.ID, e.Version, _ = strings.Cut(v.text, "#")
		case "github", "gitlab":
			name, version, _ := strings.Cut(rest, "#")
			e.ID, e.Version = scheme+":"+name, version
		}
		return f.add(e)
	})
}

// parsePackageLock reads package-lock.json: the packages of versions 2 and 3, and the
// dependencies of version 1.
func parsePackageLock(f *file) error {
	var installed, nested []Entry
	err := f.readJSON(func(v *jsonValue) error {
		n := len(v.path)
		if n < 3 || v.path[n-1] != "version" {
			return nil
		}
		e := Entry{Version: v.text, Line: v.line}
		switch {
		case n == 3 && v.path[0] == "packages":
			at := strings.LastIndex(v.path[1], "node_modules/")
			if at < 0 {
				return nil // the project itself
			}
			e.Name = v.path[1][at+len("node_modules/"):]
			e.ID = "npm:" + e.Name
			installed = append(installed, e)
		case v.path[n-3] == "dependencies":
			e.Name = v.path[n-2]
			e.ID = "npm:" + e.Name
			nested = append(nested, e)
		}
		return f.full(len(installed) + len(nested))
	})
	if err != nil {
		return err
	}
	if len(installed) == 0 { // version 2 contains both
		installed = nested
	}
	for _, e := range installed {
		if err := f.add(e); err != nil {
			return err
		}
	}
	return nil
}
