package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/text/lexicon"
)

// wholeWords is how many chunks BenchmarkScale writes to the lexical index with all terms.
const wholeWords = 100_000

// BenchmarkScale asks an index of many chunks by each route and fused. Its chunks are
// those of a data folder that `suffice ingest` made, and perturbed copies of them: a
// third of the terms are others, the vectors are turned a little, half of the names are
// new. Copies are written below ingestion, which would take hours, but by the code that
// writes the log, the vectors, the graph and the lexical index. Beyond wholeWords chunks the lexical
// index is given only those terms of a copy that the questions ask for: the others cost a question
// nothing, and half of the time to write. The counts by which chunks are scored are whole.
//
//	SUFFICE_SCALE=100000 SUFFICE_SCALE_DATA=D SUFFICE_SHARED=../shared \
//	  go test ./retrieval/index -run '^$' -bench Scale -benchtime 400x -timeout 2h
//
// SUFFICE_SCALE_KEEP names a folder in which the index is kept for a second run, also one
// of more chunks. While it is written, standard error has the memory of the process from
// time to time.
func BenchmarkScale(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SUFFICE_SCALE"))
	data := os.Getenv("SUFFICE_SCALE_DATA")
	if err != nil || data == "" {
		b.Skip("set SUFFICE_SCALE to a number of chunks and SUFFICE_SCALE_DATA to a data folder")
	}
	questions := scaleQuestions(b)
	dir := os.Getenv("SUFFICE_SCALE_KEEP")
	if dir == "" {
		dir = b.TempDir()
	}
	x := scaled(b, dir, filepath.Join(data, "index", logName), n, questions)
	defer func() { _ = x.Close() }()
	h, err := x.Retriever(retrieval.Default(), DefaultTuning())
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	debug.FreeOSMemory()
	b.Logf("%d chunks, %d windows, %d facts, %d terms; %s", x.Chunks(), x.matrix.Rows(), x.facts.Len(), x.cat.terms, resident(b))
	b.Logf("recall@10 of the scan against scoring every chunk: %.4f", scaleRecall(b, x, questions[:20]))
	ask := func(b *testing.B, only []kb.Route) {
		var times []time.Duration
		cpu := processor(b)
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			got, err := h.Retrieve(b.Context(), kb.RetrieveRequest{Analysis: questions[i%len(questions)], Only: only})
			if err != nil || len(got.Degraded) > 0 {
				b.Fatal(err, got.Degraded)
			}
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		b.ReportMetric(ms(times[len(times)/2]), "p50-ms")
		b.ReportMetric(ms(times[len(times)*99/100]), "p99-ms")
		b.ReportMetric(ms(processor(b)-cpu)/float64(b.N), "cpu-ms")
	}
	for _, r := range kb.Routes {
		b.Run(string(r), func(b *testing.B) { ask(b, []kb.Route{r}) })
	}
	b.Run("fused", func(b *testing.B) { ask(b, nil) })
	b.Run("scan", func(b *testing.B) { scaleScan(b, x, questions) })
	b.Log(resident(b))
}

// scaleScan asks the vectors alone, in turn with sketches and without: times-wall and
// times-cpu are how many times as long it takes without.
func scaleScan(b *testing.B, x *Index, questions []kb.Analysis) {
	b.Helper()
	var vectors [][]float32
	var in []dense.Language
	for _, a := range questions {
		vectors, in = append(vectors, x.opt.Model.Embed(a.Question)), append(in, language(a.Question))
	}
	var sketches, whole []time.Duration
	var cpu [2]time.Duration
	for i := 0; b.Loop(); i++ {
		k := i % len(vectors)
		before, start := processor(b), time.Now()
		got, err := x.matrix.SearchIn(b.Context(), vectors[k], in[k], nil, 100)
		if err != nil {
			b.Fatal(err)
		}
		between, middle := processor(b), time.Now()
		want, err := x.matrix.SearchWhole(b.Context(), vectors[k], in[k], nil, 100)
		if err != nil {
			b.Fatal(err)
		}
		sketches, whole = append(sketches, middle.Sub(start)), append(whole, time.Since(middle))
		cpu[0], cpu[1] = cpu[0]+between-before, cpu[1]+processor(b)-between
		if !slices.Equal(got, want) {
			b.Fatalf("question %d: %v with sketches, %v without", k, got, want)
		}
	}
	slices.Sort(sketches)
	slices.Sort(whole)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	for _, at := range []int{50, 99} {
		s, w := sketches[len(sketches)*at/100], whole[len(whole)*at/100]
		b.ReportMetric(ms(s), fmt.Sprintf("p%d-ms", at))
		b.ReportMetric(ms(w), fmt.Sprintf("whole-p%d-ms", at))
	}
	b.ReportMetric(float64(whole[len(whole)/2])/float64(sketches[len(sketches)/2]), "times-wall")
	b.ReportMetric(ms(cpu[0])/float64(b.N), "cpu-ms")
	b.ReportMetric(ms(cpu[1])/float64(b.N), "whole-cpu-ms")
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "times-cpu")
}

// scaleRecall is the share of the ten best chunks of brute force that the scan finds.
func scaleRecall(b *testing.B, x *Index, questions []kb.Analysis) float64 {
	b.Helper()
	all := make([]int32, x.cat.len())
	for r := range all {
		all[r] = int32(r)
	}
	found, wanted := 0, 0
	for _, a := range questions {
		v, in := x.opt.Model.Embed(a.Question), language(a.Question)
		scores := x.matrix.ScoreIn(v, in, all)
		best := slices.Clone(all)
		slices.SortFunc(best, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
		got, err := x.matrix.SearchIn(b.Context(), v, in, nil, 10)
		if err != nil {
			b.Fatal(err)
		}
		wanted += 10
		for _, h := range got {
			if slices.Contains(best[:10], h.Chunk) {
				found++
			}
		}
	}
	return float64(found) / float64(wanted)
}

func scaleQuestions(b *testing.B) []kb.Analysis {
	b.Helper()
	check, err := precheck.New(precheck.Config{Lexicon: lexicon.Default()})
	if err != nil {
		b.Fatal(err)
	}
	var out []kb.Analysis
	for _, name := range []string{"cmrc2018", "squad2"} {
		set, err := evaluate.LoadRetrievalSet(evaluate.Shared("../.."), name)
		if err != nil {
			b.Skip(err)
		}
		for i := 0; i < len(set.Questions); i += len(set.Questions)/100 + 1 {
			a, err := check.Analyze(b.Context(), kb.Question{Text: set.Questions[i].Text, AsOf: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)})
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, a)
		}
	}
	rand.New(rand.NewPCG(5, 5)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// scaled is an index of n chunks: those of the log and copies of them.
func scaled(b *testing.B, dir, from string, n int, questions []kb.Analysis) *Index {
	b.Helper()
	x, err := Open(dir, Options{Match: lexicon.Default().Match})
	if err != nil {
		b.Fatal(err)
	}
	if x.Chunks() >= n {
		return x
	}
	base := logged(b, from)
	var pool []string // terms as frequent as they are
	for _, r := range base {
		for i := range r.Chunks {
			c := &r.Chunks[i]
			c.words = chunkTerms(r.Document.Title, c.HeadingPath, c.Lead, c.Text)
			pool = append(pool, c.words...)
		}
	}
	asked := map[string]bool{}
	for _, a := range questions {
		for _, t := range bm25.Read(bm25.Default(), retrieval.Query{Text: a.Question, Analysis: a}).Terms() {
			asked[t.Text] = true
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	whole := 0
	for _, r := range base {
		whole += len(r.Chunks)
	}
	start, seq := time.Now(), x.seq
	for k := x.Chunks() / whole; x.Chunks() < n; k++ { // a round that was broken off is written again
		var batch []record
		chunks := 0
		for _, r := range base {
			if x.Chunks()+chunks >= n {
				break
			}
			seq++
			batch = append(batch, perturbed(b, r, k, seq, pool, rng))
			chunks += len(r.Chunks)
			if x.Chunks()+chunks > wholeWords {
				for i := range r.Chunks {
					c := &batch[len(batch)-1].Chunks[i]
					c.words = slices.DeleteFunc(slices.Clone(c.words), func(t string) bool { return !asked[t] })
				}
			}
		}
		if err := x.write(batch); err != nil { // a round at once: bleve writes fewer segments
			b.Fatal(err)
		}
		debug.FreeOSMemory()
		fmt.Fprintf(os.Stderr, "%d chunks, %d facts, %d windows after %v: %s\n", x.Chunks(), x.facts.Len(), x.matrix.Rows(), time.Since(start).Round(time.Second), resident(b))
	}
	b.Logf("%d chunks written in %v", x.Chunks(), time.Since(start).Round(time.Second))
	return x
}

// logged reads the live records of a log, whatever its key.
func logged(b *testing.B, path string) []record {
	b.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	key := string(data[len(logMagic)+2:][:binary.LittleEndian.Uint16(data[len(logMagic):])])
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []record
	l := &logFile{path: path, f: f}
	if err := l.begin(key); err != nil {
		b.Fatal(err)
	}
	if err := l.scan(func(r record) error {
		if !r.Deleted && len(r.Chunks) > 0 {
			out = append(out, r)
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	return out
}

func perturbed(b *testing.B, r record, k int, seq int64, pool []string, rng *rand.Rand) record {
	b.Helper()
	out := r
	out.Seq = seq
	out.Document.ID = fmt.Sprintf("%s~%d", r.Document.ID, k)
	out.Document.Supersedes, out.Document.SupersededBy = nil, ""
	out.Chunks = slices.Clone(r.Chunks)
	if k == 0 {
		return out
	}
	for i := range out.Chunks {
		c := &out.Chunks[i]
		c.Text = fmt.Sprintf("%s ~%d", c.Text, k) // copies are no duplicates
		c.words = slices.Clone(c.words)
		for j := range c.words {
			if rng.IntN(3) == 0 {
				c.words[j] = pool[rng.IntN(len(pool))]
			}
		}
		c.Terms = bm25.Pack(c.words)
		c.Vectors = turned(c.Vectors, rng)
		edges, err := graph.Decode(c.Edges)
		if err != nil {
			b.Fatal(err)
		}
		for j := range edges {
			for m := range edges[j].Nodes {
				if node := &edges[j].Nodes[m]; node.Name && rng.IntN(2) == 0 {
					node.Key = fmt.Sprintf("%s~%d", node.Key, k)
				}
			}
		}
		c.Edges = graph.Encode(edges)
	}
	return out
}

// turned adds noise to stored vectors and keeps their length.
func turned(stored []byte, rng *rand.Rand) []byte {
	const head = 13 // of embed's form
	out := bytes.Clone(stored)
	dims := int(binary.LittleEndian.Uint16(out[9:]))
	for at := head; at < len(out); at += 4 + dims {
		sum := 0.0
		for i := range dims {
			v := max(-127, min(127, float64(int8(out[at+4+i]))+12*rng.NormFloat64()))
			out[at+4+i] = byte(int8(v))
			sum += float64(int8(v)) * float64(int8(v))
		}
		binary.LittleEndian.PutUint32(out[at:], math.Float32bits(float32(1/math.Sqrt(max(1, sum)))))
	}
	return out
}

// resident is the memory of the process, with the pages of mapped files apart.
func resident(b *testing.B) string {
	b.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return "memory unknown"
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(f)
	if err != nil {
		b.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	out := []string{fmt.Sprintf("heap %d MB in use of %d MB", m.HeapInuse>>20, (m.HeapSys-m.HeapReleased)>>20)}
	for line := range strings.Lines(string(data)) {
		for _, key := range []string{"VmHWM", "VmRSS", "RssAnon", "RssFile"} {
			if rest, ok := strings.CutPrefix(line, key+":"); ok {
				out = append(out, key+" "+strings.TrimSpace(rest))
			}
		}
	}
	return strings.Join(out, ", ")
}
