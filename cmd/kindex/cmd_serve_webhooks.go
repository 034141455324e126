package main

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/pflag"

	"kindex/builder/safedial"
	"kindex/edge"
)

// webhookOptions define which addresses webhooks may use, and how often each host
// is called.
type webhookOptions struct {
	allow, deny, nat64 []string
	hostRate           float64
	challenge          bool
}

func (o *webhookOptions) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.allow, "webhook-allow", nil, "networks (10.0.0.0/8) and addresses with a port (127.0.0.1:8443) that webhooks may use even if they are not public or not on port 443")
	f.StringSliceVar(&o.deny, "webhook-deny", nil, "networks (203.0.113.0/24), addresses and host names (example.org, including all subdomains) that are never called, even if --webhook-allow allows them")
	f.StringSliceVar(&o.nat64, "webhook-nat64", nil, "NAT64 prefixes (64:ff9b::/96) of this network: addresses with these prefixes are checked as the IPv4 addresses that they represent")
	f.Float64Var(&o.hostRate, "webhook-host-rate", safedial.DefaultHostRate, "maximum delivery attempts per second to one host, across all webhooks of all accounts; 0 for no limit")
	f.BoolVar(&o.challenge, "webhook-challenge", false, "register a webhook only if its endpoint answers a challenge")
}

// apply parses the flags and sets the options of an edge.
func (o *webhookOptions) apply(e *edge.Options) (err error) {
	var g safedial.Options
	if g.Allow, err = parseEach("--webhook-allow", o.allow, safedial.ParseException); err != nil {
		return err
	}
	if g.Deny, err = parseEach("--webhook-deny", o.deny, safedial.ParseDenial); err != nil {
		return err
	}
	var prefixes []netip.Prefix
	if prefixes, err = parseEach("--webhook-nat64", o.nat64, safedial.ParseNAT64); err != nil {
		return err
	}
	switch {
	case !(o.hostRate >= 0 && o.hostRate <= 1e6):
		return errors.New("--webhook-host-rate: use a number of attempts per second, or 0 for no limit")
	case o.hostRate == 0:
		o.hostRate = -1
	}
	g.NAT64, g.HostRate = prefixes, o.hostRate
	e.Guard, e.WebhookChallenge = safedial.New(g), o.challenge
	return nil
}

// parseEach parses the values of a flag.
func parseEach[T any](flag string, texts []string, parse func(string) (T, error)) ([]T, error) {
	list := make([]T, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = parse(strings.TrimSpace(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return list, nil
}
