package edge

import "context"

// Paths returns the paths under /api that the server registers, in the router's syntax.
func (s *Server) Paths() []string { return s.shared.Paths }

// HoldExports occupies all of a caller's export slots until release is called.
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
