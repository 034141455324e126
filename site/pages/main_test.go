package pages_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/edgetest"
	"kindex/site/pages"
)

// passedOver reports whether the i-th of many cases runs only in make soak: all but every
// eighth do.
func passedOver(i int) bool { return i%suite.Pick(8, 1) != 0 }

func TestMain(m *testing.M) {
	code := m.Run()
	if thePast.out != "" {
		_ = os.RemoveAll(thePast.out)
	}
	edgetest.Stop()
	os.Exit(code)
}

// leadsToBoards makes pathsOf follow the links to all leaderboards, which are on those of today.
func leadsToBoards(path string) bool {
	return path == "/" || strings.HasPrefix(path, "/leaderboards/") && !strings.Contains(path, "/at-")
}

// pathsOf returns the paths of all pages and files of a static site, following the links of some pages.
func pathsOf(tb testing.TB, s *pages.Site, follows func(path string) bool) (paths []string) {
	tb.Helper()
	var mu sync.Mutex
	err := s.Crawl(context.Background(), func(path string) (*pages.Answer, error) {
		mu.Lock()
		paths = append(paths, path)
		mu.Unlock()
		if !strings.HasSuffix(path, "/") || !follows(path) {
			return nil, nil //nolint:nilnil // a file leads nowhere
		}
		return s.Get(pages.Request{Path: path})
	})
	suite.Check(tb, err)
	slices.Sort(paths)
	return paths
}
