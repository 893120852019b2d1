package precheck

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
)

// ErrRules is the class of all errors about the content of a rule file.
var ErrRules = errors.New("bad question rules")

//go:embed data/rules.yaml
var builtinRules []byte

// Rules are compiled question forms and word lists. They do not change after
// loading and are safe for concurrent use.
type Rules struct {
	file  ruleFile
	rules []rule
	index index

	polite                                    phrases
	modals, now, units, drop, protect, dropEn phrases
	empty, pronouns, verbs, verbsZH, events   phrases
	steerVerbs, steerObjects, orders          phrases
	riskWords                                 phrases
	nouns                                     map[kb.Class]phrases
	dummy                                     index
}

type rule struct {
	ID     string    `yaml:"id"`
	Class  kb.Class  `yaml:"class"`
	Prio   int       `yaml:"prio"`   // 1..100; the highest decides
	Expect kb.Expect `yaml:"expect"` // what fills the asked slot
	Slot   string    `yaml:"slot"`   // name of the asked slot; "" = by class
	Unit   string    `yaml:"unit"`
	After  string    `yaml:"after"` // noun: the words after the form name the attribute
	Noun   bool      `yaml:"noun"`  // the noun decides the class
	Now    bool      `yaml:"now"`   // asks for the state on the day of asking
	Forms  []string  `yaml:"forms"`
}

type byLanguage struct {
	ZH []string `yaml:"zh"`
	EN []string `yaml:"en"`
}

type ruleFile struct {
	Rules    []rule                  `yaml:"rules"`
	Nouns    map[kb.Class]byLanguage `yaml:"nouns"`
	Modals   byLanguage              `yaml:"modals"`
	Now      byLanguage              `yaml:"now"`
	Polite   byLanguage              `yaml:"polite"`
	Steer    steer                   `yaml:"steer"`
	Orders   []string                `yaml:"orders"`
	Drop     byLanguage              `yaml:"drop"`
	Protect  []string                `yaml:"protect"`
	Empty    byLanguage              `yaml:"empty"`
	Pronouns byLanguage              `yaml:"pronouns"`
	Dummy    []string                `yaml:"dummy"`
	Verbs    []string                `yaml:"verbs"`
	VerbsZH  []string                `yaml:"verbs_zh"`
	Events   []string                `yaml:"events"`
	Units    byLanguage              `yaml:"units"`
	Risk     riskFile                `yaml:"risk"`
	Expand   expandFile              `yaml:"expansions"`
	Prompts  map[string]prompts      `yaml:"prompts"`
}

type steer struct {
	Verbs   []string `yaml:"verbs"`
	Objects []string `yaml:"objects"`
}

type riskFile struct {
	High    []string         `yaml:"high"`
	Classes map[kb.Class]int `yaml:"classes"`
	Words   byLanguage       `yaml:"words"`
}

type expandFile struct {
	Classes map[kb.Class]byLanguage `yaml:"classes"`
	Domains map[string]byLanguage   `yaml:"domains"`
}

type prompts struct {
	Subject  string `yaml:"subject"`
	Question string `yaml:"question"`
	Time     string `yaml:"time"`
}

var defaultRules = sync.OnceValues(func() (*Rules, error) { return ParseRules("rules.yaml", builtinRules) })

// ParseRules reads a rule file. Errors name the file and the line or the rule
// (ErrRules).
func ParseRules(name string, data []byte) (*Rules, error) {
	r := &Rules{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&r.file); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRules, name, err)
	}
	if err := r.compile(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRules, name, err)
	}
	return r, nil
}

func (r *Rules) compile() error {
	f := &r.file
	r.rules = f.Rules
	r.index = index{byRun: map[rune][]int32{}}
	seen := map[string]bool{}
	for i, ru := range r.rules {
		switch {
		case ru.ID == "" || seen[ru.ID]:
			return fmt.Errorf("rule %d: id %q is empty or taken", i+1, ru.ID)
		case !slices.Contains(kb.Classes, ru.Class):
			return fmt.Errorf("rule %s: class %q is none of the twelve", ru.ID, ru.Class)
		case ru.Prio < 1 || ru.Prio > 100:
			return fmt.Errorf("rule %s: prio %d is not in 1..100", ru.ID, ru.Prio)
		case len(ru.Forms) == 0:
			return fmt.Errorf("rule %s: no forms", ru.ID)
		}
		seen[ru.ID] = true
		for _, src := range ru.Forms {
			elems, err := compileForm(src)
			if err != nil {
				return fmt.Errorf("rule %s: %w", ru.ID, err)
			}
			if err := r.index.add(form{int32(i), elems}); err != nil {
				return fmt.Errorf("rule %s: form %q %w", ru.ID, src, err)
			}
		}
	}
	r.dummy = index{byRun: map[rune][]int32{}}
	for _, src := range f.Dummy {
		elems, err := compileForm(src)
		if err == nil {
			err = r.dummy.add(form{0, elems})
		}
		if err != nil {
			return fmt.Errorf("dummy form %q: %w", src, err)
		}
	}
	for c := range f.Nouns {
		if !slices.Contains(kb.Classes, c) {
			return fmt.Errorf("nouns: class %q is none of the twelve", c)
		}
	}
	for _, lang := range []string{"zh", "en"} {
		if p := f.Prompts[lang]; p.Subject == "" || p.Question == "" {
			return fmt.Errorf("prompts: no text for %s", lang)
		}
	}
	two := func(b byLanguage) phrases { return newPhrases(b.ZH, b.EN) }
	r.polite, r.modals, r.now, r.units = two(f.Polite), two(f.Modals), two(f.Now), two(f.Units)
	r.drop, r.dropEn, r.protect = newPhrases(f.Drop.ZH), newPhrases(f.Drop.EN), newPhrases(f.Protect)
	r.empty, r.pronouns, r.riskWords = two(f.Empty), two(f.Pronouns), two(f.Risk.Words)
	r.verbs, r.verbsZH, r.events = newPhrases(f.Verbs), newPhrases(f.VerbsZH), newPhrases(f.Events)
	r.steerVerbs, r.steerObjects, r.orders = newPhrases(f.Steer.Verbs), newPhrases(f.Steer.Objects), newPhrases(f.Orders)
	r.nouns = map[kb.Class]phrases{}
	for c, b := range f.Nouns {
		r.nouns[c] = two(b)
	}
	return nil
}

// prompt returns the question back to the user.
func (r *Rules) prompt(lang string, missing []string) string {
	if lang != "zh" {
		lang = "en"
	}
	p := r.file.Prompts[lang]
	if slices.Contains(missing, "question") {
		return p.Question
	}
	if slices.Contains(missing, "time") && len(missing) == 1 {
		return p.Time
	}
	return p.Subject
}

// nounClass finds the class whose noun ends the phrase; the longest one wins,
// ties in contract order.
func (r *Rules) nounClass(folded []rune, start, end int) (kb.Class, int) {
	best, length := r.nounEnding(folded, start, end)
	// fees, rents: the plural of a listed word.
	if length == 0 && end-start > 4 && folded[end-1] == 's' && folded[end-2] != 's' {
		if c, n := r.nounEnding(folded[:end-1], start, end-1); n > 2 {
			return c, n + 1
		}
	}
	return best, length
}

func (r *Rules) nounEnding(folded []rune, start, end int) (best kb.Class, length int) {
	for _, c := range kb.Classes {
		p, ok := r.nouns[c]
		if !ok {
			continue
		}
		if n := p.suffix(folded, start, end); n > length {
			best, length = c, n
		}
	}
	return best, length
}

// clean joins the words of a list for --explain.
func clean(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}
