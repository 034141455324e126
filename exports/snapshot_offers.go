package exports

import (
	"sync"

	"kindex/exports/packed"
	"kindex/exports/record"
)

// maxOfferDays is the number of past days whose offers stay in memory. A day with 400,000
// offers takes about 30 MB.
const maxOfferDays = 4

// offerDays holds the offers of the most recently requested past days. A build contains no
// lookup file for them: the columns are collected from the versions of a snapshot, which at
// 100,000 entities takes a second or more; only one day is collected at a time.
type offerDays struct {
	mu   sync.Mutex // guards days
	days []*offerDay

	collecting sync.Mutex
}

// offerDay is the columns of one day, collected when they are first needed.
type offerDay struct {
	day  string
	read func() (offerColumns, error)
}

// of returns the columns of a snapshot.
func (d *offerDays) of(s *Snapshot) (offerColumns, error) {
	d.mu.Lock()
	var found *offerDay
	for i, known := range d.days {
		if known.day == s.Day {
			found = known
			d.days = append(d.days[:i], d.days[i+1:]...)
			break
		}
	}
	if found == nil {
		found = &offerDay{s.Day, sync.OnceValues(func() (offerColumns, error) {
			d.collecting.Lock()
			defer d.collecting.Unlock()
			return s.collectOffers()
		})}
	}
	d.days = append(d.days, found) // the last one is the most recently used
	if len(d.days) > maxOfferDays {
		d.days = d.days[1:]
	}
	d.mu.Unlock()
	return found.read()
}

// collectOffers packs the offers of a snapshot's listed records.
func (s *Snapshot) collectOffers() (offerColumns, error) {
	data, err := packOffers(s.listed, s.rank, func(ordinal uint32) (*record.Entity, error) {
		return record.ParseOffers(s.archive.Record(s.Version(ordinal)))
	})
	if err != nil {
		return offerColumns{}, err
	}
	r := packed.NewSectionReader(func(string) []byte { return data })
	columns := openOffers(r, offersFile, s.listed)
	return columns, r.Err()
}

// Offers returns the offers of the models that were listed on the snapshot's day. The first
// call for a day reads all of its records.
func (s *Snapshot) Offers() (*Offers, error) {
	columns, err := s.archive.offerDays.of(s)
	return &Offers{offerColumns: columns, catalogue: s}, err
}
