package manifest

import (
	"errors"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// parseGoMod reads go.mod and applies its replace directives.
func parseGoMod(f *file) error {
	m, err := modfile.Parse(f.shown, f.data, nil)
	var list modfile.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return f.wrong(list[0].Pos.Line, list[0].Err.Error())
	} else if err != nil {
		return f.wrong(0, err.Error())
	}
	replaced := map[module.Version]module.Version{}
	for _, r := range m.Replace {
		replaced[r.Old] = r.New
	}
	for _, r := range m.Require {
		used := r.Mod
		for _, old := range []module.Version{r.Mod, {Path: r.Mod.Path}} {
			if by, ok := replaced[old]; ok {
				used = by
				break
			}
		}
		if modfile.IsDirectoryPath(used.Path) {
			continue // part of the project
		}
		if err := f.add(Entry{ID: "go:" + used.Path, Name: used.Path, Version: used.Version, Line: r.Syntax.Start.Line}); err != nil {
			return err
		}
	}
	return nil
}
