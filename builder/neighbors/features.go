package neighbors

import (
	"cmp"
	"slices"
	"strings"

	"kindex/exports"
	"kindex/exports/record"
)

// The kinds of features, as used in reasons, and their weights.
const (
	kindCategory   = "category"
	kindTag        = "tag"
	kindCapability = "capability"
	kindProvider   = "provider"
	kindWord       = "word"
)

var kindWeights = map[string]uint32{kindCategory: 3, kindTag: 3, kindCapability: 2, kindProvider: 2, kindWord: 1}

// featuresOf lists the features of an entity without duplicates.
func featuresOf(e *record.Entity, words func(string) []string) (list []exports.Feature) {
	add := func(kind string, values ...string) {
		for _, value := range values {
			list = append(list, exports.Feature{Kind: kind, Value: value})
		}
	}
	add(kindCategory, e.Category)
	if e.Provider != "" {
		add(kindProvider, e.Provider)
	}
	add(kindTag, e.Tags...)
	add(kindCapability, e.Capabilities...)
	for _, w := range words(e.Name + " " + e.Description) {
		if len(w) > 2 {
			add(kindWord, w)
		}
	}
	slices.SortFunc(list, compareFeatures)
	return slices.Compact(list)
}

func compareFeatures(a, b exports.Feature) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Value, b.Value))
}

// compareYield orders two features, which dfA and dfB out of n entities have, by yield, highest first. The yield
// is the squared weight divided by the length of the inverted list. Features of a single entity come before all
// others, because their lists need not be read.
func compareYield(n int, a, b exports.Feature, dfA, dfB int) int {
	if dfA < 2 || dfB < 2 {
		return cmp.Or(cmp.Compare(min(dfA, 2), min(dfB, 2)), compareFeatures(a, b))
	}
	return cmp.Or(cmp.Compare(uint64(square(b.Kind, n, dfB))*uint64(dfA), uint64(square(a.Kind, n, dfA))*uint64(dfB)), compareFeatures(a, b))
}
