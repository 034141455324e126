package forge

import "net/http"

// maxAnswer bounds what is read of an answer of the forge, in bytes.
const maxAnswer = 16 << 20

// bounded cuts off answers that are too long.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = http.MaxBytesReader(nil, res.Body, maxAnswer)
	return res, nil
}
