package remote_test

import (
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/precheck/prechecktest"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/rerank/reranktest"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
	"suffice.dev/suffice/services/grpcapi"
	"suffice.dev/suffice/services/remote"
	"suffice.dev/suffice/validate"
	"suffice.dev/suffice/validate/validatetest"
)

func assessor(t *testing.T) rerank.Assessor {
	t.Helper()
	a, err := rerank.New(rerank.Default(), reading.New(fact.New(fact.Config{}), 0, nil), nil, rerank.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func validator(t *testing.T) validate.Validator {
	t.Helper()
	v, err := validate.New(validate.Default(), reading.New(fact.New(fact.Config{}), 0, nil), validate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAssessorConformance(t *testing.T) {
	t.Run("local", func(t *testing.T) { reranktest.Run(t, assessor) })
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			reranktest.Run(t, func(t *testing.T) rerank.Assessor {
				return remote.NewAssessor(transport.open(t, grpcapi.New(grpcapi.Config{Assessor: assessor(t)})))
			})
		})
	}
}

func TestValidatorConformance(t *testing.T) {
	t.Run("local", func(t *testing.T) { validatetest.Run(t, validator) })
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			validatetest.Run(t, func(t *testing.T) validate.Validator {
				return remote.NewValidator(transport.open(t, grpcapi.New(grpcapi.Config{Validator: validator(t)})))
			})
		})
	}
}

func TestAnalyzerConformance(t *testing.T) {
	local, err := precheck.New(precheck.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			prechecktest.Run(t, remote.NewAnalyzer(transport.open(t, grpcapi.New(grpcapi.Config{Analyzer: local}))))
		})
	}
}

func TestRetrieverConformance(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			retrievaltest.Run(t, func(t *testing.T, docs []kb.Document) retrieval.Retriever {
				x, err := index.Open(t.TempDir(), index.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := x.Close(); err != nil {
						t.Errorf("close the index: %v", err)
					}
				})
				if err := x.Sync(t.Context(), retrievaltest.NewFeed(docs...)); err != nil {
					t.Fatal(err)
				}
				local, err := x.Retriever(retrieval.Default(), index.DefaultTuning())
				if err != nil {
					t.Fatal(err)
				}
				return remote.NewRetriever(transport.open(t, grpcapi.New(grpcapi.Config{Retriever: local})))
			})
		})
	}
}
