package edge

import "context"

// Paths are the addresses below /api that the server registers, as the router
// writes them.
func (s *Server) Paths() []string { return s.shared.Paths }

// HoldExports takes all slots for exports that a caller may have, until release.
func (s *Server) HoldExports(caller string) (release func()) {
	for range exportsPerCaller {
		if err := s.shared.Exports.Enter(context.Background(), caller); err != nil {
			panic(err)
		}
	}
	return func() {
		for range exportsPerCaller {
			s.shared.Exports.Leave(caller)
		}
	}
}
