package evaluate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// notSupported is the label of a claim that may be told as unsupported or as
// contradicted: the text's condition, exception or doubt is left out of it.
const notSupported = "NOT_SUPPORTED"

// claimLabels are the labels of written claims, as tables list them.
var claimLabels = []string{string(kb.ClaimSupported), string(kb.ClaimContradicted), string(kb.ClaimUnsupported), notSupported}

// WrittenPassage is a passage that people wrote, with questions that it answers or
// does not, and claims of known truth.
type WrittenPassage struct {
	ID, Language, Domain string
	Title, Heading, Text string
	Kind                 string // prose, list or table
	Questions            []WrittenQuestion
	Claims               []WrittenClaim
}

// WrittenQuestion is a question about a written passage.
type WrittenQuestion struct {
	Question   string
	Sufficient bool
	Answer     string // part of the text; "" where it does not suffice
	Kind       string
}

// WrittenClaim is a claim about a written passage.
type WrittenClaim struct {
	Claim   string
	Verdict string // SUPPORTED, CONTRADICTED, UNSUPPORTED, NOT_SUPPORTED (either of the two before)
	Kind    string
}

// Test reports whether the passage is held out: no trainer and no tuning reads it.
func (p *WrittenPassage) Test() bool { return IsTest(p.Text) }

// Passage is the passage as it is handed to assess and verify.
func (p *WrittenPassage) Passage() kb.Passage {
	out := kb.Passage{ID: p.ID, Text: p.Text, Title: p.Title}
	if p.Heading != "" {
		out.HeadingPath = []string{p.Heading}
	}
	if p.Kind == "table" {
		out.Kind = "table"
	}
	return out
}

// OtherLanguage reports whether a question or claim is in another language than the
// passage, by its letters: a Chinese one may hold names in Latin letters.
func (p *WrittenPassage) OtherLanguage(said string) bool {
	han, latin := 0, 0
	for _, word := range strings.Fields(said) {
		in := 0
		for _, r := range word {
			if text.IsHan(r) {
				in++
			}
		}
		if han += in; in == 0 && strings.ContainsFunc(word, unicode.IsLetter) {
			latin++
		}
	}
	language := "en"
	if han > latin {
		language = "zh"
	}
	return language != p.Language
}

// KeepOtherLanguage leaves of the passage the questions and claims in another language
// than its own.
func (p *WrittenPassage) KeepOtherLanguage() {
	p.Questions = slices.DeleteFunc(p.Questions, func(q WrittenQuestion) bool { return !p.OtherLanguage(q.Question) })
	p.Claims = slices.DeleteFunc(p.Claims, func(c WrittenClaim) bool { return !p.OtherLanguage(c.Claim) })
}

// Joining reports whether the passage is for fitting how models are joined: no trainer of
// a single one reads it.
func (p *WrittenPassage) Joining() bool { return IsJoining(p.Text) }

// WrittenExamples are the questions and the claims of written passages as labelled
// examples, in order; each answer is one claim.
func WrittenExamples(passages []WrittenPassage) (questions []SufficiencyExample, claims []ClaimExample) {
	for i := range passages {
		p := &passages[i]
		alone := []kb.Passage{p.Passage()}
		for _, q := range p.Questions {
			kind := q.Kind
			if q.Sufficient {
				kind = "gold"
			}
			questions = append(questions, SufficiencyExample{Source: "written", Kind: kind, Language: p.Language, Group: p.Text, Question: q.Question,
				AsOf: asOf, Passages: alone, Sufficient: q.Sufficient, Test: p.Test()})
		}
		for _, c := range p.Claims {
			claims = append(claims, ClaimExample{Source: "written", Kind: c.Kind, Language: p.Language, Group: p.Text, Answer: c.Claim, Passages: alone,
				Supported: c.Verdict == string(kb.ClaimSupported), Contrary: c.Verdict == string(kb.ClaimContradicted),
				Silent: c.Verdict == string(kb.ClaimUnsupported), Test: p.Test()})
		}
	}
	return questions, claims
}

func (p *WrittenPassage) check() error {
	switch {
	case p.Text == "":
		return errors.New(`text "": write the passage`)
	case p.Language != "zh" && p.Language != "en":
		return fmt.Errorf("language %q: write zh or en", p.Language)
	}
	for _, q := range p.Questions {
		if q.Sufficient && (q.Answer == "" || !strings.Contains(p.Text, q.Answer)) {
			return fmt.Errorf("answer %q: write a part of the text", q.Answer)
		}
	}
	for _, c := range p.Claims {
		if !slices.Contains(claimLabels, c.Verdict) {
			return fmt.Errorf("verdict %q: write one of %s", c.Verdict, strings.Join(claimLabels, ", "))
		}
	}
	return nil
}

// LoadWritten reads the written passages of all *.jsonl files of a folder, in the
// order of their names. ErrNoData where there is none.
func LoadWritten(dir string) ([]WrittenPassage, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(dir); len(files) == 0 || errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", dir, ErrNoData)
	}
	slices.Sort(files)
	var out []WrittenPassage
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, len(data)+1)
		for n := 1; lines.Scan(); n++ {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			var p WrittenPassage
			err := json.Unmarshal(lines.Bytes(), &p)
			if err == nil {
				err = p.check()
			}
			if err != nil {
				return nil, fmt.Errorf("read %s: line %d: %w", path, n, err)
			}
			out = append(out, p)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return out, nil
}

// WrittenClaims are the claims of written passages as labelled examples, each with its
// passage alone.
func WrittenClaims(passages []WrittenPassage) []ClaimExample {
	var out []ClaimExample
	for i := range passages {
		p := &passages[i]
		for _, c := range p.Claims {
			out = append(out, ClaimExample{
				Source: "written", Kind: c.Kind, Language: p.Language, Group: p.ID, Answer: c.Claim, Passages: []kb.Passage{p.Passage()},
				Supported: c.Verdict == string(kb.ClaimSupported), Contrary: c.Verdict == string(kb.ClaimContradicted), Test: p.Test(),
			})
		}
	}
	return out
}

// JudgedWritten is a written passage with what the program made of its questions and
// claims, in their order.
type JudgedWritten struct {
	*WrittenPassage
	Assessments   []kb.Assessment
	Verifications []kb.Verification
}

// Shown reports whether the evidence of a slot that question i asks for holds its
// answer whole.
func (j *JudgedWritten) Shown(i int) bool {
	for _, s := range j.Assessments[i].Slots {
		if s.Role != kb.Asked {
			continue
		}
		for _, e := range s.Evidence {
			if strings.Contains(e.Quote, j.Questions[i].Answer) {
				return true
			}
		}
	}
	return false
}

// ClaimCheck checks an answer.
type ClaimCheck func(ctx context.Context, req kb.VerifyRequest) (kb.Verification, error)

// JudgeWritten assesses all questions and checks all claims of passages, each passage
// alone. progress may be nil.
func JudgeWritten(ctx context.Context, passages []WrittenPassage, assess Judge, verify ClaimCheck, progress func(done, total int)) ([]JudgedWritten, error) {
	return onAllCores(ctx, passages, progress, func(ctx context.Context, p *WrittenPassage) (JudgedWritten, error) {
		j := JudgedWritten{WrittenPassage: p}
		alone := []kb.Passage{p.Passage()}
		for _, q := range p.Questions {
			_, a, err := assess(ctx, kb.Question{Text: q.Question, AsOf: asOf}, alone)
			if err != nil {
				return j, fmt.Errorf("judge %s %q: %w", p.ID, q.Question, err)
			}
			j.Assessments = append(j.Assessments, a)
		}
		for _, c := range p.Claims {
			v, err := verify(ctx, kb.VerifyRequest{Answer: c.Claim, Passages: alone, AsOf: asOf})
			if err != nil {
				return j, fmt.Errorf("judge %s %q: %w", p.ID, c.Claim, err)
			}
			j.Verifications = append(j.Verifications, v)
		}
		return j, nil
	})
}

// claimTold is what a verification says of a whole claim, in the words of the table:
// a claim supported in part is not supported.
func claimTold(v kb.Verification) string {
	switch v.Verdict {
	case kb.Supported:
		return string(kb.ClaimSupported)
	case kb.Contradicted:
		return string(kb.ClaimContradicted)
	case kb.NoClaims:
		return string(kb.NotAClaim)
	}
	for _, c := range v.Claims {
		if c.Verdict == kb.ClaimContradicted {
			return string(kb.ClaimContradicted)
		}
	}
	return string(kb.ClaimUnsupported)
}

// claimRight reports whether a verdict is the label's.
func claimRight(label, told string) bool {
	if label == notSupported {
		return told == string(kb.ClaimUnsupported) || told == string(kb.ClaimContradicted)
	}
	return label == told
}

// QuestionCount counts questions of one group.
type QuestionCount struct {
	Sufficient, Refused  int // sufficient ones, and of them those refused
	Shown                int // of the sufficient ones those whose answer stands in the evidence of a slot
	Insufficient, Missed int // insufficient ones, and of them those not refused
}

// ClaimCount counts claims of one group by label and verdict.
type ClaimCount map[string]map[string]int

func (c ClaimCount) add(label, told string) {
	if c[label] == nil {
		c[label] = map[string]int{}
	}
	c[label][told]++
}

func (c ClaimCount) of(label string) int {
	n := 0
	for _, k := range c[label] {
		n += k
	}
	return n
}

// otherLanguage is the group of what is said in another language than the passage's.
const otherLanguage = "other language"

// WrittenFigures are the counts by group: "all", each language of the passage, what is
// said in another language than that, and each kind with its label.
type WrittenFigures struct {
	Questions map[string]*QuestionCount
	Claims    map[string]ClaimCount
}

// groups are those that a question or claim of a kind counts for.
func (p *WrittenPassage) groups(said, kind string) []string {
	out := []string{"1 all", "2 " + p.Language, "3 " + kind}
	if p.OtherLanguage(said) {
		out = append(out, "2 "+otherLanguage, "2 "+otherLanguage+", "+p.Language+" passage")
	}
	return out
}

// MeasureWritten counts what was judged.
func MeasureWritten(judged []JudgedWritten) WrittenFigures {
	f := WrittenFigures{Questions: map[string]*QuestionCount{}, Claims: map[string]ClaimCount{}}
	for i := range judged {
		j := &judged[i]
		for n, q := range j.Questions {
			said := j.Assessments[n].Sufficient
			for _, group := range j.groups(q.Question, q.Kind) {
				c := f.Questions[group]
				if c == nil {
					c = &QuestionCount{}
					f.Questions[group] = c
				}
				switch {
				case q.Sufficient:
					c.Sufficient++
					if !said {
						c.Refused++
					}
					if j.Shown(n) {
						c.Shown++
					}
				default:
					c.Insufficient++
					if said {
						c.Missed++
					}
				}
			}
		}
		for n, claim := range j.Claims {
			for _, group := range j.groups(claim.Claim, claim.Kind) {
				if f.Claims[group] == nil {
					f.Claims[group] = ClaimCount{}
				}
				f.Claims[group].add(claim.Verdict, claimTold(j.Verifications[n]))
			}
		}
	}
	return f
}

// rate writes k of n with its interval.
func rate(k, n int) string {
	if n == 0 {
		return "–"
	}
	lo, hi := Wilson(k, n)
	return fmt.Sprintf("%d of %d, %.3f (%.2f–%.2f)", k, n, float64(k)/float64(n), lo, hi)
}

// WriteWritten prints the figures as tables.
func WriteWritten(w io.Writer, f WrittenFigures) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(t, "| questions\t| false refusal\t| answer in the evidence\t| missed refusal\t|")
	_, _ = fmt.Fprintln(t, strings.Repeat("|---\t", 4)+"|")
	for _, group := range slices.Sorted(maps.Keys(f.Questions)) {
		c := f.Questions[group]
		_, _ = fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %s\t|\n", group[2:], rate(c.Refused, c.Sufficient), rate(c.Shown, c.Sufficient), rate(c.Missed, c.Insufficient))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	told := []string{string(kb.ClaimSupported), string(kb.ClaimContradicted), string(kb.ClaimUnsupported), string(kb.NotAClaim)}
	_, _ = fmt.Fprintf(t, "\n| claims\t| label\t| told %s\t| right\t|\n%s|\n", strings.Join(told, "\t| told "), strings.Repeat("|---\t", 7))
	for _, group := range slices.Sorted(maps.Keys(f.Claims)) {
		c := f.Claims[group]
		passed, untrue := 0, 0
		for _, label := range claimLabels {
			n, right := c.of(label), 0
			if n == 0 {
				continue
			}
			_, _ = fmt.Fprintf(t, "| %s\t| %s\t", group[2:], label)
			for _, v := range told {
				_, _ = fmt.Fprintf(t, "| %d\t", c[label][v])
				if claimRight(label, v) {
					right += c[label][v]
				}
			}
			_, _ = fmt.Fprintf(t, "| %s\t|\n", rate(right, n))
			if label != string(kb.ClaimSupported) {
				passed, untrue = passed+c[label][string(kb.ClaimSupported)], untrue+n
			}
		}
		if group[0] != '3' {
			_, _ = fmt.Fprintf(t, "| %s\t| untrue, passed\t| %s\t|\t|\t|\t|\t|\n", group[2:], rate(passed, untrue))
		}
	}
	return t.Flush()
}

// WriteWrittenFailures lists the questions and claims that were judged wrongly.
func WriteWrittenFailures(w io.Writer, judged []JudgedWritten) error {
	buf := bufio.NewWriter(w)
	for i := range judged {
		j := &judged[i]
		var said strings.Builder
		for n, q := range j.Questions {
			if a := &j.Assessments[n]; a.Sufficient != q.Sufficient {
				_, _ = fmt.Fprintf(&said, "  question, %s: sufficient %t, told %s: %s", q.Kind, q.Sufficient, a.Outcome, q.Question)
				if q.Sufficient {
					_, _ = fmt.Fprintf(&said, " [%s]", q.Answer)
				}
				_, _ = fmt.Fprintln(&said)
			}
		}
		for n, c := range j.Claims {
			v := j.Verifications[n]
			if told := claimTold(v); !claimRight(c.Verdict, told) {
				_, _ = fmt.Fprintf(&said, "  claim, %s: %s, told %s: %s\n", c.Kind, c.Verdict, told, c.Claim)
				for _, part := range v.Claims {
					_, _ = fmt.Fprintf(&said, "    %s %.2f %s", part.Verdict, part.Probability, part.Reason)
					for _, e := range part.Citations {
						_, _ = fmt.Fprintf(&said, " «%s»", strings.ReplaceAll(e.Quote, "\n", " "))
					}
					_, _ = fmt.Fprintln(&said)
				}
			}
		}
		if said.Len() > 0 {
			_, _ = fmt.Fprintf(buf, "%s (%s, %s) %s / %s\n  %s\n%s\n", j.ID, j.Kind, j.Domain, j.Title, j.Heading, strings.ReplaceAll(j.Text, "\n", "\n  "), said.String())
		}
	}
	return buf.Flush()
}
