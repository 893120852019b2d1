package telemetry

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/validate"
)

// Model are the metrics of the chat model and of the check of what it writes. A nil
// *Model measures nothing.
type Model struct {
	seconds   *prometheus.HistogramVec
	tokens    *prometheus.CounterVec
	cost      prometheus.Counter
	sentences *prometheus.CounterVec
}

var _ validate.Observer = (*Model)(nil)

// NewModel registers the metrics of the chat model.
func NewModel(reg prometheus.Registerer) (*Model, error) {
	m := &Model{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "suffice_validate_model_call_seconds",
			Help:    "Time of a call of the chat model, retries and waiting included; action is the task, code how it ended.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 20, 40, 80},
		}, []string{"action", "code"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_validate_model_tokens_total",
			Help: "Tokens as the server of the chat model counted them; action is prompt or completion.",
		}, []string{"action"}),
		cost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "suffice_validate_model_cost_total",
			Help: "Cost of the tokens by llm.price_input and llm.price_output, in their currency.",
		}),
		sentences: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_validate_model_sentences_total",
			Help: "Sentences of the chat model after their check: kept, remarked (a wrong mark corrected), restored (a dropped limit put back), cut.",
		}, []string{"action"}),
	}
	for _, c := range []prometheus.Collector{m.seconds, m.tokens, m.cost, m.sentences} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics of the model: %w", err)
		}
	}
	return m, nil
}

// ModelCalled implements validate.Observer.
func (m *Model) ModelCalled(c validate.ModelCall) {
	if m == nil {
		return
	}
	m.seconds.WithLabelValues(c.Task, c.Result).Observe(c.Took.Seconds())
	m.tokens.WithLabelValues("prompt").Add(float64(c.PromptTokens))
	m.tokens.WithLabelValues("completion").Add(float64(c.CompletionTokens))
	m.cost.Add(c.Cost)
}

// AnswerChecked implements validate.Observer.
func (m *Model) AnswerChecked(c validate.AnswerCheck) {
	if m == nil {
		return
	}
	m.sentences.WithLabelValues("kept").Add(float64(c.Kept))
	m.sentences.WithLabelValues("remarked").Add(float64(c.Remarked))
	m.sentences.WithLabelValues("restored").Add(float64(c.Restored))
	m.sentences.WithLabelValues("cut").Add(float64(c.Cut))
}
