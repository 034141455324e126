package webhook

// AskedEvery is how soon a busy worker sees what has changed.
const AskedEvery = askedEvery
