package llm

import (
	"net/url"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/apikey"
)

// Config of the client. A URL of "" means that there is no model.
type Config struct {
	URL         string        // of the API, with its version: https://host/v1
	Model       string        // name as the server knows it
	Timeout     time.Duration // of one call, retries and waiting included
	Idle        time.Duration // longest silence of a server within a call
	Concurrency int           // calls at one time; others wait
	Retries     int           // of a call that was refused or did not get through
	Output      int           // longest reply, in tokens
	BodyBytes   int           // longest body that is read
	Prompts     string        // folder with prompts that replace the built-in ones; "" = none
	KeyEnv      string        // environment variable that holds the key; "" = none
	KeyFile     string        // file that holds the key; "" = none
	PriceInput  float64       // of a million tokens read, any currency
	PriceOutput float64       // of a million tokens written
	Failures    int           // failed calls in a row after which the model is left alone
	Pause       time.Duration // for this long
}

// Default is the shipped configuration: no model.
func Default() Config {
	return Config{
		Timeout: 20 * time.Second, Idle: 10 * time.Second, Concurrency: 4, Retries: 2, Output: 512, BodyBytes: 1 << 20,
		Failures: 5, Pause: 30 * time.Second,
	}
}

// Validate reports every problem with its key. It reads no key and no prompt.
func (c Config) Validate() []error {
	var errs []error
	add := func(key, format string, args ...any) { errs = append(errs, kb.Invalid("llm."+key, format, args...)) }
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			add("url", "it is not an address such as https://host/v1")
		case u.User != nil:
			add("url", "it holds a user or password; keys come from llm.key_env or llm.key_file")
		}
		if c.Model == "" {
			add("model", "it is empty, with llm.url set; name the model as the server knows it")
		}
	}
	whole := func(key string, x, lo, hi int) {
		if x < lo || x > hi {
			add(key, "%d is outside %d..%d", x, lo, hi)
		}
	}
	span := func(key string, x, lo, hi time.Duration) {
		if x < lo || x > hi {
			add(key, "%v is outside %v..%v", x, lo, hi)
		}
	}
	span("timeout", c.Timeout, 10*time.Millisecond, 10*time.Minute)
	span("idle", c.Idle, 10*time.Millisecond, 10*time.Minute)
	whole("concurrency", c.Concurrency, 1, 1000)
	whole("retries", c.Retries, 0, 10)
	whole("output", c.Output, 16, 100_000)
	whole("body_bytes", c.BodyBytes, 1<<10, 1<<28)
	if !(c.PriceInput >= 0 && c.PriceOutput >= 0) {
		add("price_input", "%v and price_output %v: a price is 0 or more", c.PriceInput, c.PriceOutput)
	}
	whole("failures", c.Failures, 1, 1000)
	span("pause", c.Pause, 10*time.Millisecond, time.Hour)
	if err := c.key().Validate(); err != nil {
		errs = append(errs, err)
	}
	return errs
}

// key is where the key of the server is kept.
func (c Config) key() apikey.Place {
	return apikey.Place{Section: "llm", Env: c.KeyEnv, File: c.KeyFile}
}
