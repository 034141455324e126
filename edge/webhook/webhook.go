package webhook

import (
	"errors"
	"time"
)

// MaxPerAccount is the maximum number of webhooks per account.
const MaxPerAccount = 10

// RotationOverlap is how long deliveries are also signed with the previous secret after
// a rotation.
const RotationOverlap = 24 * time.Hour

// Errors of the store.
var (
	ErrTooMany = errors.New("webhook limit reached")
	ErrUnknown = errors.New("there is no such webhook or delivery")
	ErrGone    = errors.New("the event has been deleted")
	ErrBusy    = errors.New("too many pending tests and replays of this webhook")
	// ErrLeaseLost means that the lease has a different owner, or the webhook was
	// deleted.
	ErrLeaseLost = errors.New("lost the lease of the webhook")
)

// Webhook is an endpoint for events, with its progress. A zero time means never.
type Webhook struct {
	ID, AccountID string
	URL           string
	Events        []string // the names that it wants, in the order of exports.Events
	SealedSecret  string   // the secret, sealed with the operator's key
	CreatedAt     time.Time
	// PreviousSealed is the previous secret, sealed, which continues to sign until
	// PreviousUntil; "" if there is none.
	PreviousSealed string
	PreviousUntil  time.Time

	DisabledAt     time.Time // when it was switched off
	DisabledReason string
	FailingSince   time.Time // the first failure since the last success
	LastAttemptAt  time.Time
	LastSuccessAt  time.Time
	NextAt         time.Time // when the next event is tried; zero: no event is pending

	Position       int64 // the Seq of the last event that is done with
	FailedAttempts int   // failures of the event that is tried, as the schedule counts them
}

// Active reports whether events are sent to it.
func (w *Webhook) Active() bool { return w.DisabledAt.IsZero() }

// Kind is the reason for a delivery.
type Kind string

// The kinds of deliveries: an event in its turn, a test, an event once more.
const (
	ForEvent  Kind = "event"
	ForTest   Kind = "test"
	ForReplay Kind = "replay"
)

// Status is the progress of a delivery.
type Status string

// The statuses of a delivery. One that failed is tried again only by hand.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// Statuses lists all statuses.
var Statuses = []string{string(Pending), string(Succeeded), string(Failed)}

// Delivery is an entry in the delivery log of a webhook: one event and its attempts.
type Delivery struct {
	ID, WebhookID  string
	Kind           Kind
	Seq            int64 // of the event, 0 for a test
	EventID, Event string
	Status         Status
	Attempts       int
	CreatedAt      time.Time
	LastAttemptAt  time.Time
	NextAt         time.Time
	ResponseStatus int           // of the last attempt, 0 without a response
	Error          string        // of the last attempt, for the owner to read
	Took           time.Duration // the last attempt
	Payload        []byte        // the payload, if it was read for sending
}
