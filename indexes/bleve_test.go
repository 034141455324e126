package indexes

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	zap "github.com/blevesearch/zapx/v16"

	"kindex/builder/suite"
	"kindex/exports/record"
)

// TestBleveOpensTheIndex opens an index with plain Bleve, without the ordering of
// documents needed for writing. There are enough documents for several segments
// to be merged.
func TestBleveOpensTheIndex(t *testing.T) {
	suite.InTest(t)
	var entities []*record.Entity
	for i := range 2*batchSize + 100 {
		entities = append(entities, &record.Entity{Type: "tool", Slug: fmt.Sprintf("light-gbm-%d", i),
			Name: fmt.Sprintf("Light GBM %d", i), Category: "ml", Tags: []string{"trees"},
			Description: fmt.Sprintf("Boosts the gradients number%d.", i%7)})
	}
	root := t.TempDir()
	w := suite.Must(Write(root, entities, map[string]string{"ml": "Machine Learning"}))(t)
	dir := Dir(root, w.name)
	checkDocNums(t, dir, len(entities))
	scorch.RegisterSegmentPlugin(&zap.ZapPlugin{}, false)
	t.Cleanup(func() { scorch.RegisterSegmentPlugin(segmentType, false) })
	x := suite.Must(bleve.Open(filepath.Join(dir, bleveDir)))(t)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if n, err := x.DocCount(); err != nil || int(n) != len(entities) {
		t.Errorf("%d documents, want %d: %v", n, len(entities), err)
	}
	for field, term := range map[string]string{
		"name": "5432", "exact": "light gbm 5432", "suffix": "gbm 5432", "joined": "lightgbm5432",
	} {
		q := bleve.NewTermQuery(term)
		q.SetField(field)
		res, err := x.Search(bleve.NewSearchRequest(q))
		if err != nil || res.Total != 1 || res.Hits[0].ID != docID(5432) {
			t.Errorf("%s %s: %v %v", field, term, res, err)
		}
	}
	for field, term := range map[string]string{"topic": "trees", "text": "gradient", "name": "gbm"} {
		q := bleve.NewTermQuery(term)
		q.SetField(field)
		if res, err := x.Search(bleve.NewSearchRequest(q)); err != nil || int(res.Total) != len(entities) {
			t.Errorf("%s %s: %v %v", field, term, res, err)
		}
	}
}

// checkDocNums checks that the number of every document is its ordinal.
func checkDocNums(t *testing.T, dir string, documents int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, segmentsDir, "*.zap"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	s := suite.Must(segmentType.Open(files[0]))(t)
	for o := range documents {
		if id, err := s.DocID(uint64(o)); err != nil || string(id) != docID(o) {
			t.Fatalf("document %d has ID %x: %v", o, id, err)
		}
	}
	suite.Check(t, s.Close())
}
