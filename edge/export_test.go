package edge

import (
	"context"

	"kindex/edge/live"
)

// Paths returns the paths under /api that the server registers, in the router's syntax.
func (s *Server) Paths() []string { return s.shared.Paths }

// HoldExports occupies all of a caller's export slots until release is called.
func (s *Server) HoldExports(caller string) (release func()) {
	var leave []func()
	for range s.shared.Limits.ExportGate.PerCaller {
		one, err := s.shared.Limits.ExportGate.Enter(context.Background(), caller)
		if err != nil {
			panic(err)
		}
		leave = append(leave, one)
	}
	return func() {
		for _, one := range leave {
			one()
		}
	}
}

// ForgetBuild makes the edge one that has no build yet.
func (s *Server) ForgetBuild() { s.reloader = live.New(live.Options{}) }
