-- +goose Up

-- What a correction of an existing entity changes, as JSON, or '' for a new entity.
ALTER TABLE submissions ADD COLUMN changes TEXT NOT NULL DEFAULT '';
