package edge

import "context"

// Paths returns the addresses below /api that the server registers, in router syntax.
func (s *Server) Paths() []string { return s.shared.Paths }

// HoldExports takes all export slots of a caller until release.
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
