// The schemas that the tests check manifests against come from these modules.
module schemas

go 1.26.0

require (
	github.com/compose-spec/compose-go/v2 v2.16.2
	sigs.k8s.io/kubectl-validate v0.0.4
)
