-- +goose Up
-- previous_secret is the one before secret, sealed in the same way. It signs along
-- until previous_until. Both are null where there is none.
ALTER TABLE webhooks ADD COLUMN previous_secret TEXT;
ALTER TABLE webhooks ADD COLUMN previous_until BIGINT;
