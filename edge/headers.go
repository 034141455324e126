package edge

// Header values that are the same in every answer, made once. Nobody may change
// them; to append to one copies it, since they have no room.
var (
	everyOrigin    = []string{"*"}
	exposedHeaders = []string{"ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-RateLimit-Tier, RateLimit, RateLimit-Policy, X-Request-Id, X-Build, " +
		"Repr-Digest, Content-Range, Content-Disposition, Idempotency-Replayed, Location"}
	noSniff      = []string{"nosniff"}
	sameOrigin   = []string{"same-origin"}
	crossOrigin  = []string{"cross-origin"}
	varyEncoding = []string{"Accept-Encoding"}
	varyAccept   = []string{"Accept-Encoding, Accept"}
	varyKey      = []string{"X-Api-Key"}
	unkept       = []string{"no-store"}
	revalidate   = []string{"private, no-cache"}
	anHour       = []string{"public, max-age=3600"}
	forever      = []string{"public, max-age=31536000, immutable"}
)
