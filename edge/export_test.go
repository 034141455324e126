package edge

// Paths are the addresses below /api that the server registers, as the router
// writes them.
func (s *Server) Paths() []string { return s.paths }
