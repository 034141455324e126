package live

import (
	"log/slog"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"kindex/exports/mirror"
	"kindex/exports/sign"
)

// signatureReader reads the signature of a build.
type signatureReader struct {
	root      string // the output folder
	id        string // of the build
	verifiers []note.Verifier
	log       *slog.Logger

	mu      sync.Mutex
	problem string // the error that was logged last
}

// Signature describes the signature of the published build, whether it was verified or not. It
// returns nil if the build has none. A publisher can sign a build that is already served, so the
// signature is read each time. An invalid one is logged and not returned.
func (v *ServedBuild) Signature() *sign.Signature {
	r := v.signature
	info, err := mirror.SavedSignature(r.root, r.id, r.verifiers)
	if err == nil {
		return info
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if message := err.Error(); message != r.problem {
		r.problem = message
		r.log.Error("the signature of the build is invalid", "build", r.id, "error", err)
	}
	return nil
}
