package web

// Header values that are the same in every response. They must not be modified. Appending to one
// of them copies it, since they have no spare capacity.
var (
	AnyOrigin      = []string{"*"}
	ExposedHeaders = []string{"ETag, Link, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-RateLimit-Tier, RateLimit, RateLimit-Policy, X-Request-Id, X-Build, " +
		"Repr-Digest, Content-Range, Content-Disposition, Idempotency-Replayed, Location"}
	jsonContent  = []string{JSONType}
	noSniff      = []string{"nosniff"}
	SameOrigin   = []string{"same-origin"}
	CrossOrigin  = []string{"cross-origin"}
	NoStore      = []string{"no-store"}
	revalidate   = []string{"private, no-cache"}
	CacheHour    = []string{"public, max-age=3600"}
	cacheForever = []string{"public, max-age=31536000, immutable"}
)
