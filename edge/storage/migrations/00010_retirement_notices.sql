-- +goose Up
-- Notices of retirements that have been sent, or that no longer need to be sent. The events are
-- in webhook_events. A notice is one event for all webhooks, and webhook_deliveries_event makes
-- sure that each webhook gets it once.
CREATE TABLE retirement_notices (
    type       TEXT NOT NULL,
    slug       TEXT NOT NULL,
    retires    TEXT NOT NULL, -- YYYY-MM-DD
    notice     BIGINT NOT NULL, -- days before it retires
    created_at BIGINT NOT NULL,
    PRIMARY KEY (type, slug, retires, notice)
);
CREATE INDEX retirement_notices_retires ON retirement_notices (retires);

-- When retirements were first checked; null if they have not been.
ALTER TABLE webhook_cursor ADD COLUMN noticed_at BIGINT;
