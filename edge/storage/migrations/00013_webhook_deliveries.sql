-- +goose Up
-- Which changes a webhook receives: fields is a JSON array, [] stands for all; figures is 0 if it
-- receives no event in which only figures changed.
ALTER TABLE webhooks ADD COLUMN fields TEXT NOT NULL DEFAULT '[]';
ALTER TABLE webhooks ADD COLUMN figures BIGINT NOT NULL DEFAULT 1;

-- An event is now a delivery to each of its webhooks from the start, not only once it is tried.
-- Those that were waiting become deliveries.
UPDATE webhook_deliveries SET status = 'pending' WHERE kind = 'event'
	AND event_seq > (SELECT w.position FROM webhooks w WHERE w.id = webhook_deliveries.webhook_id);
INSERT INTO webhook_deliveries (id, webhook_id, kind, event_seq, event_id, event, status, created_at)
	SELECT 'dlv_' || SUBSTR(w.id, 4, 10) || SUBSTR(e.id, 5, 10), w.id, 'event', e.seq, e.id, e.event, 'pending', e.created_at
	FROM webhooks w JOIN webhook_events e ON e.seq > w.position AND w.events LIKE '%"' || e.event || '"%'
	WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.event_seq = e.seq AND d.kind = 'event');
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, kind, event_seq) WHERE status = 'pending';

-- next_at of a webhook is when its next event may be tried; null: at once.
DROP INDEX webhooks_due;
ALTER TABLE webhooks DROP COLUMN position;
ALTER TABLE webhooks DROP COLUMN woken;
DROP INDEX webhook_deliveries_due;
ALTER TABLE webhook_deliveries DROP COLUMN next_at;
CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event_seq) WHERE event_seq IS NOT NULL;

ALTER TABLE webhook_events DROP COLUMN at;
ALTER TABLE webhook_events DROP COLUMN type;
ALTER TABLE webhook_events DROP COLUMN slug;
ALTER TABLE webhook_events DROP COLUMN name;
ALTER TABLE webhook_events DROP COLUMN build;

-- One row, named events: the build that was last announced to webhooks, which the next one is
-- compared with. seq is that of the newest event.
CREATE TABLE announced (
    name       TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    seq        BIGINT NOT NULL,
    build      TEXT NOT NULL, -- '' before the first
    change_id  TEXT NOT NULL, -- the newest change in its changelog, '' if it has none
    commit_of  TEXT NOT NULL, -- the commit of that change, '' outside git
    as_of      BIGINT,
    commit_at  BIGINT,
    noticed_at BIGINT         -- when retirements were first checked
);
INSERT INTO announced (name, version, seq, build, change_id, commit_of, noticed_at)
	SELECT name, version, seq, build, change_id, '', noticed_at FROM webhook_cursor;
DROP TABLE webhook_cursor;
