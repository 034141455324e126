package webhook

// AskedEvery is how often a busy worker checks for changes.
const AskedEvery = requestedPollInterval
