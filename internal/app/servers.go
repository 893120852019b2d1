package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/retrieval/graph/neo4j"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/opensearch"
	"suffice.dev/suffice/services/config"
)

// far are the servers that stand for parts of the index.
type far struct{ graph *neo4j.Graph }

func (f far) close() error {
	if f.graph == nil {
		return nil
	}
	return f.graph.Close()
}

// password reads the password that a part's configuration names.
func password(part string, given config.Secret, file string) (string, error) {
	if file == "" {
		return string(given), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s.password_file: %w; name a file that holds the password alone", part, err)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// storeOptions are where the store is.
func storeOptions(c config.Store) (store.Options, error) {
	if c.Driver != config.Postgres {
		return store.Options{}, nil
	}
	if err := store.CheckDSN(string(c.DSN)); err != nil {
		return store.Options{}, fmt.Errorf("store.dsn: %w", err)
	}
	pw, err := password("store", "", c.PasswordFile)
	return store.Options{DSN: string(c.DSN), Password: pw}, err
}

// reachServers gives the index the servers of the configuration. One that is down is
// no error: its routes are left out until it is up.
func reachServers(ctx context.Context, c config.Config, opt *index.Options) (far, error) {
	words, err := search("bm25", c.BM25.Server())
	if err != nil {
		return far{}, err
	}
	vectors, err := search("dense", c.Dense.Server())
	if err != nil {
		return far{}, err
	}
	// One index for both, but for vectors of an endpoint: those come later than the words.
	if words != nil && vectors != nil && *words == *vectors && opt.Endpoint == nil {
		vectors = words
	}
	if words != nil {
		words.Words, words.Vectors = true, vectors == words
		s, err := opensearch.New(*words)
		if err != nil {
			return far{}, fmt.Errorf("bm25: %w", err)
		}
		opt.Words = s
		if vectors == words {
			opt.Vectors = s
		}
		opt.Patience = max(opt.Patience, words.Timeout)
	}
	if vectors != nil && vectors != words {
		vectors.Words, vectors.Vectors = false, true
		s, err := opensearch.New(*vectors)
		if err != nil {
			return far{}, fmt.Errorf("dense: %w", err)
		}
		opt.Vectors = s
		opt.Patience = max(opt.Patience, vectors.Timeout)
	}
	if c.Graph.Driver != config.Neo4j {
		return far{}, nil
	}
	pw, err := password("graph", c.Graph.Password, c.Graph.PasswordFile)
	if err != nil {
		return far{}, err
	}
	g, err := neo4j.New(neo4j.Config{
		URL: c.Graph.URL, User: c.Graph.User, Password: pw, Database: c.Graph.Database, Space: c.Graph.Space, Timeout: c.Graph.Timeout,
	})
	if err != nil {
		return far{}, fmt.Errorf("graph: %w", err)
	}
	// Only what another try cannot mend is an error at start.
	if err := g.Check(ctx); errors.Is(err, neo4j.ErrRefused) {
		return far{}, errors.Join(fmt.Errorf("graph.user %q at graph.url %s: %w; correct graph.user, graph.password or graph.password_file", c.Graph.User, c.Graph.URL, err), g.Close())
	}
	if err := ctx.Err(); err != nil {
		return far{}, errors.Join(err, g.Close())
	}
	opt.Facts = g
	opt.Patience = max(opt.Patience, c.Graph.Timeout)
	return far{graph: g}, nil
}

// search is a route's search server; nil where it is embedded.
func search(part string, s config.SearchServer) (*opensearch.Config, error) {
	if s.Driver != config.OpenSearch {
		return nil, nil
	}
	pw, err := password(part, s.Password, s.PasswordFile)
	if err != nil {
		return nil, err
	}
	return &opensearch.Config{URL: strings.TrimRight(s.URL, "/"), User: s.User, Password: pw, Prefix: s.Index, Timeout: s.Timeout}, nil
}

// shownStore and graphServer are the parts of a configuration that a running process
// does not change.
func shownStore(s config.Store) [3]string {
	return [3]string{s.Driver, s.DSN.String(), s.PasswordFile}
}

func graphServer(g config.Graph) config.Graph {
	g.Hops, g.Decay = 0, 0
	return g
}
