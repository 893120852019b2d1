package app

import (
	"testing"
	"time"

	"suffice.dev/suffice/services/config"
)

// TestOrigin: a model that served before is made again from what the index kept, which
// holds no key.
func TestOrigin(t *testing.T) {
	t.Setenv("SUFFICE_TEST_KEY", "secret")
	e := config.Embedding{
		Provider: config.OpenAIEmbedding, URL: "http://127.0.0.1:1/v1", Model: "bge-m3", Dims: 1024, KeyEnv: "SUFFICE_TEST_KEY",
		Timeout: time.Second, Batch: 8, QueryPrefix: "问：",
	}
	want, err := newEndpoint(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := earlierEndpoint(origin(e))
	if err != nil || got.Name() != want.Name() || got.Dims() != want.Dims() {
		t.Errorf("%v, %v, want %s", got, err, want.Name())
	}
	for _, url := range []string{"http://user:secret@127.0.0.1/v1", "http://127.0.0.1/v1?key=secret"} {
		e.URL = url
		if o := origin(e); o != "" {
			t.Errorf("%s is kept as %s", url, o)
		}
	}
	for _, o := range []string{"", "{}", `{"Provider":"static"}`} {
		if _, err := earlierEndpoint(o); err == nil {
			t.Errorf("%q made an endpoint", o)
		}
	}
}
