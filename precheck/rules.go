package precheck

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// ErrRules is the class of all errors about the content of a rule file.
var ErrRules = errors.New("bad question rules")

//go:embed data/rules.yaml
var builtinRules []byte

// compoundList lists Chinese words, one a line, that begin with a verb of one character,
// end in one or contain a function character, and are one word all the same: 租金, 理赔,
// 营地. They are frequent in the dictionary of jieba (MIT, see NOTICE).
//
//go:embed data/compounds.txt
var compoundList string

var compounds = sync.OnceValue(func() phrases { return newPhrases(strings.Fields(compoundList)) })

// Rules are compiled question forms and word lists. They do not change after
// loading and are safe for concurrent use.
type Rules struct {
	file   ruleFile
	rules  []rule
	index  index
	choice int32 // the rule of verbs said twice around 不; -1: none

	polite                                    phrases
	modals, now, units, drop, protect, dropEn phrases
	empty, bare, pronouns                     phrases
	verbs, verbsZH, events                    phrases
	steerVerbs, steerObjects, orders          phrases
	riskWords, said                           phrases
	compounds                                 phrases
	means                                     map[string][]string // by what is said
	nouns                                     map[kb.Class]phrases
	dummy                                     index
}

type rule struct {
	source string // the file that states it
	line   int    // where in it

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
	name  string
	lines map[string]int // of its parts

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
	Bare     byLanguage              `yaml:"bare"`
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
	Words   []plainWords            `yaml:"words"`
}

// plainWords are words that people say and the words that documents have for it.
type plainWords struct {
	Say   []string `yaml:"say"`
	Means []string `yaml:"means"`
}

type prompts struct {
	Subject  string `yaml:"subject"`
	Question string `yaml:"question"`
	Time     string `yaml:"time"`
}

// choiceRule is the rule that a verb said twice counts for.
const choiceRule = "yesno-zh"

var defaultRules = sync.OnceValues(func() (*Rules, error) { return ParseRules("rules.yaml", builtinRules) })

// ParseRules reads a rule file that stands alone. Errors name the file and the line
// (ErrRules).
func ParseRules(name string, data []byte) (*Rules, error) {
	file, err := decodeRules(name, data)
	if err != nil {
		return nil, err
	}
	return file.build()
}

// LoadRules reads rule files in their order over the built-in one: a rule with the id
// of an earlier one takes its place, other rules and the words of lists are added,
// prompts and weights of risk replace earlier ones, and expansions come first. Errors
// name the file and the line (ErrRules) or are those of reading it.
func LoadRules(paths ...string) (*Rules, error) {
	all, err := decodeRules("rules.yaml", builtinRules)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("question rules: %w", err)
		}
		more, err := decodeRules(p, data)
		if err != nil {
			return nil, err
		}
		all.merge(more)
		if _, err := all.build(); err != nil {
			return nil, err // here, so that it is this file that is named
		}
	}
	return all.build()
}

// decodeRules reads one file and notes where its rules stand.
func decodeRules(name string, data []byte) (*ruleFile, error) {
	f := &ruleFile{name: name}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(f); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRules, name, err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil || len(root.Content) == 0 {
		return nil, fmt.Errorf("%w: %s: %w", ErrRules, name, err)
	}
	f.lines = map[string]int{}
	top := root.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		f.lines[top[i].Value] = top[i].Line
		if top[i].Value == "rules" {
			for k, n := range top[i+1].Content {
				f.Rules[k].source, f.Rules[k].line = name, n.Line
			}
		}
	}
	return f, nil
}

// merge adds what another file states.
func (f *ruleFile) merge(more *ruleFile) {
	for _, ru := range more.Rules {
		if at := slices.IndexFunc(f.Rules, func(r rule) bool { return r.ID == ru.ID }); at >= 0 && f.Rules[at].source != ru.source {
			f.Rules[at] = ru
		} else {
			f.Rules = append(f.Rules, ru)
		}
	}
	both := func(to *byLanguage, from byLanguage) {
		to.ZH, to.EN = slices.Concat(to.ZH, from.ZH), slices.Concat(to.EN, from.EN)
	}
	first := func(to, from byLanguage) byLanguage {
		return byLanguage{ZH: slices.Concat(from.ZH, to.ZH), EN: slices.Concat(from.EN, to.EN)}
	}
	if f.Nouns == nil {
		f.Nouns = map[kb.Class]byLanguage{}
	}
	for c, b := range more.Nouns {
		n := f.Nouns[c]
		both(&n, b)
		f.Nouns[c] = n
	}
	for _, p := range []struct {
		to   *byLanguage
		from byLanguage
	}{
		{&f.Modals, more.Modals}, {&f.Now, more.Now}, {&f.Polite, more.Polite}, {&f.Drop, more.Drop}, {&f.Empty, more.Empty}, {&f.Bare, more.Bare},
		{&f.Pronouns, more.Pronouns}, {&f.Units, more.Units}, {&f.Risk.Words, more.Risk.Words},
	} {
		both(p.to, p.from)
	}
	for _, p := range []struct {
		to   *[]string
		from []string
	}{
		{&f.Steer.Verbs, more.Steer.Verbs}, {&f.Steer.Objects, more.Steer.Objects}, {&f.Orders, more.Orders}, {&f.Protect, more.Protect}, {&f.Dummy, more.Dummy},
		{&f.Verbs, more.Verbs}, {&f.VerbsZH, more.VerbsZH}, {&f.Events, more.Events}, {&f.Risk.High, more.Risk.High},
	} {
		*p.to = slices.Concat(*p.to, p.from)
	}
	for c, n := range more.Risk.Classes {
		if f.Risk.Classes == nil {
			f.Risk.Classes = map[kb.Class]int{}
		}
		f.Risk.Classes[c] = n
	}
	for c, b := range more.Expand.Classes {
		if f.Expand.Classes == nil {
			f.Expand.Classes = map[kb.Class]byLanguage{}
		}
		f.Expand.Classes[c] = first(f.Expand.Classes[c], b)
	}
	for d, b := range more.Expand.Domains {
		if f.Expand.Domains == nil {
			f.Expand.Domains = map[string]byLanguage{}
		}
		f.Expand.Domains[d] = first(f.Expand.Domains[d], b)
	}
	f.Expand.Words = slices.Concat(f.Expand.Words, more.Expand.Words)
	for lang, p := range more.Prompts {
		if f.Prompts == nil {
			f.Prompts = map[string]prompts{}
		}
		old := f.Prompts[lang]
		f.Prompts[lang] = prompts{Subject: cmp.Or(p.Subject, old.Subject), Question: cmp.Or(p.Question, old.Question), Time: cmp.Or(p.Time, old.Time)}
	}
	f.name, f.lines = more.name, more.lines
}

// build compiles a file that is complete.
func (f *ruleFile) build() (*Rules, error) {
	r := &Rules{file: *f}
	if err := r.compile(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRules, err)
	}
	return r, nil
}

// at names the place of a part of the file.
func (f *ruleFile) at(part string) string {
	if line := f.lines[part]; line > 0 {
		return fmt.Sprintf("%s: line %d: %s", f.name, line, part)
	}
	return f.name + ": " + part
}

// wrong is an error about a rule, with its place.
func (ru rule) wrong(format string, args ...any) error {
	return fmt.Errorf("%s: line %d: rule %s: %w", ru.source, ru.line, ru.ID, fmt.Errorf(format, args...))
}

func (r *Rules) compile() error {
	f := &r.file
	r.rules, r.choice = f.Rules, -1
	r.index = index{byRun: map[rune][]int32{}}
	seen := map[string]bool{}
	for i, ru := range r.rules {
		switch {
		case ru.ID == "" || seen[ru.ID]:
			return fmt.Errorf("%s: line %d: rule %d: id %q is empty or taken", ru.source, ru.line, i+1, ru.ID)
		case !slices.Contains(kb.Classes, ru.Class):
			return ru.wrong("class %q is none of the twelve", ru.Class)
		case ru.Prio < 1 || ru.Prio > 100:
			return ru.wrong("prio %d is not in 1..100", ru.Prio)
		case len(ru.Forms) == 0:
			return ru.wrong("no forms")
		}
		seen[ru.ID] = true
		if ru.ID == choiceRule {
			r.choice = int32(i)
		}
		for _, src := range ru.Forms {
			elems, err := compileForm(src)
			if err != nil {
				return ru.wrong("%w", err)
			}
			if err := r.index.add(form{int32(i), elems}); err != nil {
				return ru.wrong("form %q %w", src, err)
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
			return fmt.Errorf("%s form %q: %w", f.at("dummy"), src, err)
		}
	}
	for c := range f.Nouns {
		if !slices.Contains(kb.Classes, c) {
			return fmt.Errorf("%s: class %q is none of the twelve", f.at("nouns"), c)
		}
	}
	for _, lang := range []string{"zh", "en"} {
		if p := f.Prompts[lang]; p.Subject == "" || p.Question == "" {
			return fmt.Errorf("%s: no text for %s", f.at("prompts"), lang)
		}
	}
	two := func(b byLanguage) phrases { return newPhrases(b.ZH, b.EN) }
	r.polite, r.modals, r.now, r.units = two(f.Polite), two(f.Modals), two(f.Now), two(f.Units)
	r.drop, r.dropEn, r.protect = newPhrases(f.Drop.ZH), newPhrases(f.Drop.EN, curled(f.Drop.EN)), newPhrases(f.Protect)
	r.empty, r.bare, r.pronouns, r.riskWords = two(f.Empty), two(f.Bare), two(f.Pronouns), two(f.Risk.Words)
	r.verbs, r.verbsZH, r.events = newPhrases(f.Verbs), newPhrases(f.VerbsZH), newPhrases(f.Events)
	r.steerVerbs, r.steerObjects, r.orders = newPhrases(f.Steer.Verbs), newPhrases(f.Steer.Objects), newPhrases(f.Orders)
	r.compounds = compounds()
	r.means = map[string][]string{}
	var said []string
	for i, w := range f.Expand.Words {
		if len(w.Say) == 0 || len(w.Means) == 0 {
			return fmt.Errorf("%s: words %d: say and means need a word each", f.at("expansions"), i+1)
		}
		for _, s := range w.Say {
			key := string(text.Fold([]rune(s)))
			r.means[key] = append(r.means[key], w.Means...)
			said = append(said, s)
		}
	}
	r.said = newPhrases(said)
	r.nouns = map[kb.Class]phrases{}
	for c, b := range f.Nouns {
		r.nouns[c] = two(b)
	}
	return nil
}

// curled are the words of a list that have an apostrophe, with the curled one.
func curled(words []string) []string {
	var out []string
	for _, w := range words {
		if c := strings.ReplaceAll(w, "'", "\u2019"); c != w {
			out = append(out, c)
		}
	}
	return out
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
