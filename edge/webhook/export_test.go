package webhook

// AskedEvery is how soon a worker that is busy sees what has changed.
const AskedEvery = askedEvery
