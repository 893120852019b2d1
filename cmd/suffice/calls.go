package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/batch"
)

// callFlags are the flags of the five calls.
type callFlags struct {
	input  string
	jobs   int
	format string
	asOf   string
	noGaps bool

	dataNamed bool // a flag or a variable names the data folder

	// For a question on the command line.
	readers    []string
	topK       int
	collection string
	domains    []string
	language   string
	passages   []string
	question   string
	explain    bool
	docs       string
}

// ofQuestion are the flags that say of one question what each line of JSON Lines says of
// itself.
var ofQuestion = []string{"as-of", "collection", "domain", "explain", "passage", "question", "reader", "reply-language", "top-k"}

// call makes one of the five commands: JSON Lines without arguments, one question
// with them.
func (c *cli) call(name, use, short string, one func(ctx context.Context, f *callFlags, text string) error) (*cobra.Command, *callFlags) {
	f := &callFlags{}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.format != "text" && f.format != "json" {
				return usage("--format %s: write text or json", f.format)
			}
			f.dataNamed = cmd.Flags().Changed("data") || c.getenv("SUFFICE_DATA") != ""
			if f.jobs < 0 {
				return usage("--jobs %d: write a number from 1, or 0 for the number of cores", f.jobs)
			}
			if len(args) > 0 {
				if f.input != "" {
					return usage("--input and a question on the command line exclude each other")
				}
				return one(cmd.Context(), f, strings.Join(args, " "))
			}
			for _, flag := range ofQuestion {
				if cmd.Flags().Changed(flag) {
					return usage("--%s is for a question on the command line; in JSON Lines each line says it", flag)
				}
			}
			return c.lines(cmd.Context(), name, f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.input, "input", "", "file of JSON Lines (default: standard input)")
	fl.IntVar(&f.jobs, "jobs", 0, "lines worked on at once (default: the number of cores)")
	fl.StringVar(&f.format, "format", "text", "output of a question on the command line: text or json")
	if name != "verify" {
		fl.StringVar(&f.asOf, "as-of", "", "day the question is asked, YYYY-MM-DD (default: today)")
	}
	c.dataFlag(cmd)
	return cmd, f
}

// lines answers JSON Lines.
func (c *cli) lines(ctx context.Context, name string, f *callFlags) error {
	command, ok := batch.ByName(name)
	if !ok {
		return fmt.Errorf("no command %s", name)
	}
	in := c.in
	if f.input != "" && f.input != "-" {
		file, err := os.Open(f.input)
		if err != nil {
			return usage("--input: %w", err)
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	if err := c.bringIn(ctx, f); err != nil {
		return err
	}
	b, err := c.open(ctx, true)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b.stopWith(stop)
	sum, err := batch.Run(ctx, command, b.calls, in, c.out, batch.Options{Jobs: f.jobs, LineBytes: b.lineBytes, NoGaps: f.noGaps, Logger: b.log})
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	if err := errors.Join(err, b.close()); err != nil {
		return err
	}
	if sum.Failed > 0 {
		return &statusError{status: exitFailed}
	}
	return nil
}

// request is the request of a question on the command line.
func (f *callFlags) request(text string) (kb.AskRequest, error) {
	asOf, err := kb.ParseDay(f.asOf)
	if err != nil {
		return kb.AskRequest{}, usage("--as-of: %w", err)
	}
	switch f.language {
	case "", "zh", "en":
	default:
		return kb.AskRequest{}, usage("--reply-language %s: write zh or en", f.language)
	}
	if f.topK < 0 || f.topK > kb.MaxTopK {
		return kb.AskRequest{}, usage("--top-k %d: write a number from 1 to %d", f.topK, kb.MaxTopK)
	}
	return kb.AskRequest{
		Question: kb.Question{Text: text, AsOf: asOf}, Readers: f.readers, Collection: f.collection, Domains: f.domains,
		TopK: f.topK, ReplyLanguage: f.language, NoGaps: f.noGaps,
	}, nil
}

// files reads the passages that --passage names, one a file.
func (f *callFlags) files() ([]kb.Passage, error) {
	var out []kb.Passage
	for i, name := range f.passages {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, usage("--passage: %w", err)
		}
		if !utf8.Valid(text) {
			return nil, usage("--passage %s: is not UTF-8; convert it, for example with iconv -t UTF-8", name)
		}
		if strings.TrimSpace(string(text)) == "" {
			return nil, usage("--passage %s: holds no text; name a file that does, or leave it out", name)
		}
		out = append(out, kb.Passage{ID: fmt.Sprintf("p%d", i+1), Text: string(text), Title: filepath.Base(name)})
	}
	return out, nil
}

// with runs one call on a backend and closes it.
func (c *cli) with(ctx context.Context, mustExist bool, do func(b *backend) error) error {
	b, err := c.open(ctx, mustExist)
	if err != nil {
		return err
	}
	err = do(b)
	if cerr := b.close(); cerr != nil && err == nil {
		err = cerr
	}
	return err
}

// line writes one line of output.
func (c *cli) line(data []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = c.out.Write(append(data, '\n'))
	return err
}

func (c *cli) askCommand() *cobra.Command {
	cmd, f := c.call("ask", "ask [QUESTION]", "Answer a question from the documents, with sources", c.askOne)
	cmd.Example = `  suffice ask --docs handbook "How many days of annual leave do I get?"
  suffice ask < questions.jsonl > answers.jsonl`
	fl := cmd.Flags()
	fl.StringVar(&f.docs, "docs", "", "folder of documents: brought into a data folder of its own first")
	fl.StringVar(&f.language, "reply-language", "", "zh or en (default: the question's)")
	fl.BoolVar(&f.noGaps, "no-gaps", false, "test traffic: record no gaps")
	c.retrievalFlags(cmd, f)
	c.addrFlag(cmd)
	return cmd
}

func (c *cli) retrievalFlags(cmd *cobra.Command, f *callFlags) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.readers, "reader", nil, "reader group of the asker; may be repeated")
	fl.IntVar(&f.topK, "top-k", 0, "passages to retrieve (default 10)")
	fl.StringVar(&f.collection, "collection", "", "collection of documents")
	fl.StringArrayVar(&f.domains, "domain", nil, "only documents of this domain; may be repeated")
}

func (c *cli) askOne(ctx context.Context, f *callFlags, text string) error {
	req, err := f.request(text)
	if err != nil {
		return err
	}
	if err := c.bringIn(ctx, f); err != nil {
		return err
	}
	return c.with(ctx, true, func(b *backend) error {
		reply, err := b.pipeline.Ask(ctx, req, nil)
		if err != nil {
			return failed(err)
		}
		if f.format == "json" {
			return c.line(batch.EncodeAsk("", reply))
		}
		return writeReply(c.out, reply, text, f.language)
	})
}

// bringIn ingests the folder that --docs names, into a data folder of its own unless
// one was named.
func (c *cli) bringIn(ctx context.Context, f *callFlags) error {
	if f.docs == "" {
		return nil
	}
	if c.addr != "" {
		return usage("--docs is for a folder on this machine; leave --addr out, or `suffice ingest --addr` the folder first")
	}
	if !f.dataNamed {
		var err error
		if c.data, err = docsData(f.docs); err != nil {
			return err
		}
	}
	return c.ingestPaths(ctx, []string{f.docs}, true, nil)
}

func (c *cli) retrieveCommand() *cobra.Command {
	cmd, f := c.call("retrieve", "retrieve [QUESTION]", "Find the passages for a question", func(ctx context.Context, f *callFlags, text string) error {
		req, err := f.request(text)
		if err != nil {
			return err
		}
		return c.with(ctx, true, func(b *backend) error {
			a, got, versions, err := b.pipeline.Retrieve(ctx, req)
			if err != nil {
				return failed(err)
			}
			if f.format == "json" {
				return c.line(batch.EncodeRetrieve("", a, got, versions))
			}
			return writePassages(c.out, got, text)
		})
	})
	c.retrievalFlags(cmd, f)
	c.addrFlag(cmd)
	return cmd
}

func (c *cli) assessCommand() *cobra.Command {
	cmd, f := c.call("assess", "assess [QUESTION]", "Judge whether passages hold what a question needs", func(ctx context.Context, f *callFlags, text string) error {
		return c.judging(ctx, f, text, func(b *backend, req kb.AskRequest) error {
			reply, err := b.pipeline.Assess(ctx, req)
			if err != nil {
				return failed(err)
			}
			if f.format == "json" {
				return c.line(batch.EncodeAssess("", reply))
			}
			return writeAssessment(c.out, reply, text)
		})
	})
	cmd.Flags().StringArrayVar(&f.passages, "passage", nil, "text file to judge; may be repeated (default: what retrieve finds)")
	return cmd
}

// judging runs a call on a question with the passages to judge: those that --passage names,
// else what retrieve finds.
func (c *cli) judging(ctx context.Context, f *callFlags, question string, do func(b *backend, req kb.AskRequest) error) error {
	req, err := f.request(question)
	if err != nil {
		return err
	}
	passages, err := f.files()
	if err != nil {
		return err
	}
	return c.with(ctx, true, func(b *backend) error {
		if passages == nil {
			if passages, err = found(ctx, b, req); err != nil {
				return err
			}
		}
		req.HandedOver, req.Passages = true, passages
		return do(b, req)
	})
}

// found are the passages that retrieve finds.
func found(ctx context.Context, b *backend, req kb.AskRequest) ([]kb.Passage, error) {
	_, got, _, err := b.pipeline.Retrieve(ctx, req)
	if err != nil {
		return nil, failed(err)
	}
	passages := make([]kb.Passage, len(got.Candidates))
	for i, x := range got.Candidates {
		passages[i] = x.Passage
	}
	return passages, nil
}

func (c *cli) verifyCommand() *cobra.Command {
	cmd, f := c.call("verify", "verify [ANSWER]", "Check an answer, claim by claim, against passages", func(ctx context.Context, f *callFlags, text string) error {
		passages, err := f.files()
		if err != nil {
			return err
		}
		return c.with(ctx, true, func(b *backend) error {
			if passages == nil {
				query := f.question
				if query == "" {
					query = text
				}
				if passages, err = found(ctx, b, kb.AskRequest{Question: kb.Question{Text: query}}); err != nil {
					return err
				}
			}
			v, versions, err := b.pipeline.Verify(ctx, kb.VerifyRequest{Question: f.question, Answer: text, Passages: passages})
			if err != nil {
				return failed(err)
			}
			if f.format == "json" {
				return c.line(batch.EncodeVerify("", v, versions))
			}
			return writeVerification(c.out, v, text, "")
		})
	})
	cmd.Flags().StringArrayVar(&f.passages, "passage", nil, "text file to check against; may be repeated (default: what retrieve finds)")
	cmd.Flags().StringVar(&f.question, "question", "", "question that was answered")
	return cmd
}

func (c *cli) precheckCommand() *cobra.Command {
	cmd, f := c.call("precheck", "precheck [QUESTION]", "Read a question: class, slots, time, search terms", func(ctx context.Context, f *callFlags, text string) error {
		req, err := f.request(text)
		if err != nil {
			return err
		}
		return c.with(ctx, false, func(b *backend) error {
			a, versions, err := b.pipeline.Precheck(ctx, req.Question)
			if err != nil {
				return failed(err)
			}
			if f.format == "json" {
				return c.line(batch.EncodePrecheck("", a, versions))
			}
			return writeAnalysis(c.out, a, f.explain)
		})
	})
	cmd.Flags().BoolVar(&f.explain, "explain", false, "say which rules or features decided")
	cmd.PreRun = func(*cobra.Command, []string) { c.noReader = true }
	return cmd
}
