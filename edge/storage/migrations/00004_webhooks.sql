-- +goose Up
-- position is the seq of the last event that is done with, next_at when the next
-- is tried (null: there was none when it was last looked for), woken the newest
-- seq when it was last told of new ones: it may go idle only if woken <= position.
CREATE TABLE webhooks (
    id              TEXT PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    url             TEXT NOT NULL,
    events          TEXT NOT NULL, -- a JSON array of names
    secret          TEXT NOT NULL, -- sealed with the operator's key
    created_at      BIGINT NOT NULL,
    disabled_at     BIGINT,
    disabled_reason TEXT,
    position        BIGINT NOT NULL,
    woken           BIGINT NOT NULL DEFAULT 0,
    attempts        BIGINT NOT NULL DEFAULT 0,
    next_at         BIGINT,
    leased_until    BIGINT NOT NULL DEFAULT 0,
    lease_owner     TEXT,
    failing_since   BIGINT,
    last_success_at BIGINT,
    last_attempt_at BIGINT
);
CREATE INDEX webhooks_account ON webhooks (account_id, created_at);
CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;

-- Written under the lock of the cursor's row, so that seq follows the order of
-- the commits: who has seen one has seen all below it.
CREATE TABLE webhook_events (
    seq        BIGINT PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    event      TEXT NOT NULL,
    at         BIGINT NOT NULL, -- of the last change folded in
    type       TEXT NOT NULL,
    slug       TEXT NOT NULL,
    name       TEXT NOT NULL,
    payload    TEXT NOT NULL, -- the body that is sent
    build      TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX webhook_events_created ON webhook_events (created_at);

-- A row is made when an event is first tried. event_seq is null for a test, and
-- payload for all but a test.
CREATE TABLE webhook_deliveries (
    id              TEXT PRIMARY KEY,
    webhook_id      TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    kind            TEXT NOT NULL, -- event, test or replay
    event_seq       BIGINT,
    event_id        TEXT NOT NULL,
    event           TEXT NOT NULL,
    payload         TEXT,
    status          TEXT NOT NULL,
    attempts        BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    last_attempt_at BIGINT,
    next_at         BIGINT,
    last_status     BIGINT,
    last_error      TEXT,
    duration_ms     BIGINT
);
CREATE UNIQUE INDEX webhook_deliveries_event ON webhook_deliveries (webhook_id, event_seq) WHERE kind = 'event';
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE next_at IS NOT NULL;

-- One row, named events: up to where the changelog has become events. seq is the
-- last that was given away. recent are the newest changes of that build, in their
-- order, and those of earlier builds that it has no more.
CREATE TABLE webhook_cursor (
    name      TEXT PRIMARY KEY,
    version   BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    build     TEXT NOT NULL,
    change_id TEXT NOT NULL, -- '' where the build has none
    change_at BIGINT,
    recent    TEXT NOT NULL, -- JSON: {"log":[ids],"gone":[ids]}
    moved_at  BIGINT NOT NULL
);
