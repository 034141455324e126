package webhook

// AskedEvery is how often a busy worker looks for requested deliveries and changes to the
// webhook.
const AskedEvery = requestedPollInterval
