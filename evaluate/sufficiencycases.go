package evaluate

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// behaviourCase is a behaviour case as far as examples are made of it.
type behaviourCase struct {
	Name    string
	Command string
	Input   struct {
		Question string
		Answer   string
		AsOf     string `yaml:"as_of"`
		Passages []casePassage
	}
	Expect []string
}

// held reports whether the case is of the half that is held out: its name has an odd
// first byte of its SHA-256.
func (c *behaviourCase) held() bool { return sha256.Sum256([]byte(c.Name))[0]%2 == 1 }

func (c *behaviourCase) passages() ([]kb.Passage, error) {
	out := make([]kb.Passage, len(c.Input.Passages))
	for i, p := range c.Input.Passages {
		var err error
		if out[i], err = p.passage(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return out, nil
}

// languageOf is zh or en.
func languageOf(s string) string {
	if text.Language(s) != "en" {
		return "zh"
	}
	return "en"
}

// behaviourCases reads the cases of a folder, by file name. ErrNoData where it is not
// there.
func behaviourCases(dir string) ([]behaviourCase, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", dir, ErrNoData)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var out []behaviourCase
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var list []behaviourCase
		if err := yaml.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// CaseSufficiency takes behaviour cases with handed-over passages as examples: those
// that want ANSWERED, and those that want INSUFFICIENT (refused), PARTIAL (partial) or
// CONFLICTING (conflict). Questions that ask back are left out. Half of the cases are held out (test).
// Cases share passages across the halves, so their figure is one of other questions,
// not of other documents. ErrNoData where the folder is not there.
func CaseSufficiency(dir string) ([]SufficiencyExample, error) {
	list, err := behaviourCases(dir)
	if err != nil {
		return nil, err
	}
	var out []SufficiencyExample
	for _, c := range list {
		answered := slices.Contains(c.Expect, "outcome == ANSWERED") || slices.Contains(c.Expect, "sufficient == true")
		kind := "gold"
		for outcome, of := range map[string]string{"INSUFFICIENT": "refused", "PARTIAL": "partial", "CONFLICTING": "conflict"} {
			if slices.Contains(c.Expect, "outcome == "+outcome) {
				kind = of
			}
		}
		refused := kind != "gold"
		if c.Command != "assess" && c.Command != "ask" || answered == refused || len(c.Input.Passages) == 0 {
			continue
		}
		e := SufficiencyExample{
			Source: "cases", Kind: kind, Language: languageOf(c.Input.Question), Group: c.Name, Question: c.Input.Question,
			Sufficient: answered, Test: c.held(),
		}
		if e.AsOf, err = caseDay(c.Input.AsOf); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if e.Passages, err = c.passages(); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// CaseClaims takes behaviour cases of verify as examples: those that want one verdict of
// the whole answer, or anything but SUPPORTED. Half of the cases are held out (test).
// ErrNoData where the folder is not there.
func CaseClaims(dir string) ([]ClaimExample, error) {
	list, err := behaviourCases(dir)
	if err != nil {
		return nil, err
	}
	var out []ClaimExample
	for _, c := range list {
		if c.Command != "verify" || c.Input.Answer == "" || len(c.Input.Passages) == 0 {
			continue
		}
		e := ClaimExample{Source: "cases", Kind: "refused", Language: languageOf(c.Input.Answer), Group: c.Name, Question: c.Input.Question, Answer: c.Input.Answer, Test: c.held()}
		switch {
		case slices.Contains(c.Expect, "verdict == SUPPORTED"):
			e.Kind, e.Supported = "gold", true
		case slices.Contains(c.Expect, "verdict == CONTRADICTED"):
			e.Contrary = true
		case slices.Contains(c.Expect, "verdict == UNSUPPORTED"):
			e.Silent = true
		case slices.Contains(c.Expect, "verdict != SUPPORTED"):
		default:
			continue
		}
		if e.Passages, err = c.passages(); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// casePassage is a passage in the form of the batch contract.
type casePassage struct {
	ID, Text, Title, Source, Domain, Kind string
	Authority                             *float64
	PublishedAt                           string `yaml:"published_at"`
	ValidFrom                             string `yaml:"valid_from"`
	ValidTo                               string `yaml:"valid_to"`
	Supersedes                            []string
}

func (c casePassage) passage() (kb.Passage, error) {
	p := kb.Passage{
		ID: c.ID, Text: c.Text, Title: c.Title, Source: c.Source, Domain: c.Domain, Kind: c.Kind, Authority: c.Authority, Supersedes: c.Supersedes,
	}
	var err [3]error
	p.PublishedAt, err[0] = caseDay(c.PublishedAt)
	p.ValidFrom, err[1] = caseDay(c.ValidFrom)
	p.ValidTo, err[2] = caseDay(c.ValidTo)
	return p, errors.Join(err[:]...)
}

// caseDay reads a day; "" is the zero time. Of a point in time only the day counts.
func caseDay(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if len(s) > len(time.DateOnly) {
		s = s[:len(time.DateOnly)]
	}
	return time.Parse(time.DateOnly, s)
}
