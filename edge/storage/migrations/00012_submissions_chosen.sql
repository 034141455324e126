-- +goose Up

-- Of several submissions of one new entity, by its address or by its name and page, at most
-- one is in review or accepted. Where an earlier version let in more, one that is accepted
-- stays, else the oldest; the others wait for a decision again.
UPDATE submissions SET status = 'pending' WHERE changes = '' AND status IN ('in-review', 'accepted') AND EXISTS (
	SELECT 1 FROM submissions o WHERE o.id <> submissions.id AND o.changes = '' AND o.status IN ('in-review', 'accepted')
	AND (o.type = submissions.type AND o.slug = submissions.slug OR o.identity = submissions.identity)
	AND (o.status < submissions.status OR o.status = submissions.status
		AND (o.created_at < submissions.created_at OR o.created_at = submissions.created_at AND o.id < submissions.id)));
CREATE UNIQUE INDEX submissions_chosen_slug ON submissions (type, slug) WHERE changes = '' AND status IN ('in-review', 'accepted');
CREATE UNIQUE INDEX submissions_chosen_identity ON submissions (identity) WHERE changes = '' AND status IN ('in-review', 'accepted');
