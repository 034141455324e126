package webhook

import (
	"cmp"
	"slices"
)

// groupByAddress divides steps into groups that have no address in common. Steps keep their
// order within a group. The groups are ordered by their last steps.
func groupByAddress(steps []Step) [][]Step {
	parent := map[string]string{}
	find := func(a string) string {
		for parent[a] != "" {
			if up := parent[parent[a]]; up != "" {
				parent[a] = up
			}
			a = parent[a]
		}
		return a
	}
	for _, s := range steps {
		f, ok := s.Change.Field("slug")
		if !ok {
			continue
		}
		if old, now := find(s.Change.Type+"/"+decodeString(f.Old)), find(s.Change.Key()); old != now {
			parent[old] = now
		}
	}
	type group struct {
		steps []Step
		last  int
	}
	groups := map[string]*group{}
	for i, s := range steps {
		root := find(s.Change.Key())
		if groups[root] == nil {
			groups[root] = &group{}
		}
		g := groups[root]
		g.steps, g.last = append(g.steps, s), i
	}
	list := make([]*group, 0, len(groups))
	for _, g := range groups {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *group) int { return cmp.Compare(a.last, b.last) })
	all := make([][]Step, len(list))
	for i, g := range list {
		all[i] = g.steps
	}
	return all
}

// orderChanges sorts net changes so that a change that takes an address follows the change
// that gives it up. Apart from that, they are ordered by their last steps. ok is false if
// they form a cycle.
func orderChanges(nets []netChange) (ok bool) {
	slices.SortFunc(nets, func(a, b netChange) int { return cmp.Compare(a.lastStep, b.lastStep) })
	occupied := map[string]bool{}
	for _, n := range nets {
		if n.releases != "" {
			occupied[n.releases] = true
		}
	}
	sorted, remaining := make([]netChange, 0, len(nets)), slices.Clone(nets)
	for len(remaining) > 0 {
		var blocked []netChange
		for _, n := range remaining {
			if n.claims != "" && occupied[n.claims] {
				blocked = append(blocked, n)
				continue
			}
			delete(occupied, n.releases)
			sorted = append(sorted, n)
		}
		if len(blocked) == len(remaining) {
			return false
		}
		remaining = blocked
	}
	copy(nets, sorted)
	return true
}
