package account

import (
	"context"

	"kindex/edge/storage"
	"kindex/edge/web"
)

// AuditPage returns a page of an account's audit log, with the total number of entries and
// whether more pages follow.
func (s *Service) AuditPage(ctx context.Context, account string, before int64, limit int) (list []storage.AuditEntry, count int, more bool, err error) {
	list, count, err = s.State.AuditLog(ctx, account, before, limit+1)
	if err != nil {
		return nil, 0, false, web.StateProblem(err)
	}
	if more = len(list) > limit; more {
		list = list[:limit]
	}
	return list, count, more, nil
}
