package fact

import (
	"slices"
	"strings"

	"suffice.dev/suffice/text"
)

// verbForm tells how surely an English word is a finite verb.
type verbForm uint8

const (
	baseForm   verbForm = iota + 1 // cost: also a noun, an infinitive, an imperative
	pastForm                       // closed: also a participle
	pluralForm                     // costs: also a plural noun
	sureForm                       // includes, has, told
)

// verbs lists English verbs of rules, reports and manuals by their base; a third
// word field gives irregular past forms. A '+' marks verbs whose s-form is hardly
// ever a noun.
const verbs = `+include +provide +contain +require +apply +receive +become +begin:began:begun +belong +carry +choose:chose:chosen +come:came +comprise +consist +consider +continue +create +decide
 +deliver +depend +describe +determine +develop +employ +enable +ensure +enter +exceed +expire +explain +extend +fall:fell:fallen +find:found +follow +form +get:got:gotten +give:gave:given
 +go:went:gone +grow:grew:grown +happen +hold:held +improve +indicate +inform +introduce +involve +join +keep:kept +know:knew:known +lead:led +leave:left +let +lie:lay +lose:lost
 +maintain +make:made +meet:met +mention +must +obtain +occupy +occur +operate +own +pay:paid +prevent +produce +prohibit +protect +publish +put +reach +read +receive +recommend +refer +refuse
 +rely +remain +remove +replace +represent +reserve +say:said +see:saw:seen +seem +sell:sold +send:sent +serve +set +show:showed:shown +speak:spoke +spend:spent +start +stay +store +submit
 +support +take:took:taken +teach:taught +tell:told +think:thought +understand:understood +use +wear:wore:worn +win:won +write:wrote:written +allow +appear +appoint +approve +ask +assess +attend +bring:brought
 +build:built +buy:bought +cancel +close +collect +complete +confirm +connect +cover +define +earn +elect +enrol +establish +exclude +feed:fed +fill +finish +fit +found +grant +handle +head
 +hire +host +inspect +install +invest +issue +last +launch +lend:lent +license +live +lower +manage +manufacture +mean:meant +measure +move +name +need +notify +offer +open +order +organise +organize
 +pass +perform +permit +place +play +postpone +prepare +process +protect +qualify +raise +recover +reduce +refund +register +reimburse +reject +release +renew +repair +repay:repaid +reply +report +resign
 +rest +restore +return +revoke +rinse +rise:rose:risen +run:ran +seat +settle +sign +sit:sat +stand:stood +stop +store +succeed +suffer +supply +suspend +terminate +test +train +transfer +transport +travel
 +treat +turn +update +vary +verify +visit +waive +want +warn +weigh +welcome +work +yield +accept +account +achieve +acquire +add +adjust +administer +admit +adopt +affect +agree +amend +announce +answer
 +arrive +award +bear:bore:borne +burn +calculate +call +change +charge +check +claim +clean +climb +combine +commit +compare +compete +conduct +connect +control +convert +cook +copy +cost +count +cut +date
 +deal:dealt +decline +decrease +deduct +delete +deny +deposit +dispose +distribute +divide +double +drink:drank +drive:drove:driven +drop +eat:ate:eaten +edit +eliminate +end +engage +enjoy +equip +erect
 +evaluate +examine +exchange +exist +expand +expect +export +express +fail +feature +file +flow +fly:flew:flown +forbid:forbade:forbidden +force +free +fund +gain +generate +govern +guarantee +guide +hand
 +heat +help +hope +house +identify +implement +import +impose +increase +inherit +initiate +insert +insure +intend +interrupt +investigate +invite +kill +lack +land +lay:laid +learn +lift +light +limit +link
 +list +load +locate +lock +log +look +love +mark +match +merge +mix +monitor +mount +multiply +negotiate +note +number +observe +omit +oppose +outweigh +overlook +oversee +park +participate +plan +plant
 +point +possess +post +power +practise +prefer +preserve +press +print +proceed +promise +promote +propose +prove +pull +purchase +push +qualify +quit +range +rank +rate +realise +recall +recognise +record
 +recycle +regulate +relate +remember +rent +report +request +rescue +research +resolve +respond +result +retain +retire +reveal +review +ride:rode +ring:rang +roll +rotate +rule +save +schedule +score +search
 +select +separate +share +shift +ship +shorten +shut +slow +smoke +solve +sort +spread +state +steal +stem +step +stick +store +study +subscribe +suit +swim +switch +total +touch +track +trade +translate
 +trigger +try +undergo +upgrade +vote +wait +walk +wash +watch +withdraw:withdrew:withdrawn +write +accompany +acknowledge +advise +arrange +assign +assist +assume +attach +authorise +authorize +avoid +base
 +block +board +book +borrow +break:broke:broken +broadcast +cast +catch:caught +cease +clear +command +comply +compose +concern +conclude +contribute +cooperate +correspond +declare +dedicate +derive +design
 +disclose +discontinue +discover +display +dock +donate +draw:drew:drawn +earn +emit +encourage +exercise +facilitate +finance +fix +focus +forward +fulfil +gather +harm +hear:heard +highlight +incur +inherit
 +invent +label +lease +manage +obey +obligate +originate +outline +overtake +owe +permit +persist +possess +reach +rebuild:rebuilt +redeem +refit +regard +resume +risk +sail +seek:sought +shine +sponsor
 +strengthen +surpass +sustain +target +tend +thank +trace +undertake:undertook +unlock +validate +view +violate +visit`

// nounish are verbs whose s-form is a common plural noun, so that it counts as a
// verb only before an object.
var nounish = strings.Fields(`train cost rate test charge order place report claim account change call date deal drink drop end exchange export feature file flow force fund gain guarantee
 guide hand heat help hope house import increase interest issue lack land lift light limit link list load lock log look love mark match mix mount name need note number offer open park plan plant
 play point post power press print process promise purchase range rank record rent request research result return review ride ring rise roll rule run sail sale save schedule score search seat share
 shift ship sign sort stand start state step stop store study supply support switch target tend total touch track trade transfer transport travel treat turn update use view visit vote wait walk wash
 watch work answer award board book break broadcast cast catch check clean copy control count cover cut decline decrease deposit design display dock draw drive fall feed fight find finish fit form
 fly head hire host label last lease leave license live measure move pass pay program rest set show sponsor test thank trace value supply account approach attempt benefit bid`)

// nounBases are the bases of nounish verbs.
var nounBases = setOf(strings.Join(nounish, " "))

// pronounWords are singular subjects whose next word is a verb.
var pronounWords = setOf("it he she")

var verbForms = buildVerbs()

func buildVerbs() map[string]verbForm {
	weak := map[string]bool{}
	for _, w := range nounish {
		weak[w] = true
	}
	m := make(map[string]verbForm, 4096)
	put := func(w string, f verbForm) {
		if old, ok := m[w]; !ok || f > old {
			m[w] = f
		}
	}
	for _, entry := range strings.Fields(verbs) {
		fields := strings.Split(strings.TrimPrefix(entry, "+"), ":")
		base := fields[0]
		put(base, baseForm)
		third := sureForm
		if weak[base] {
			third = pluralForm
		}
		put(thirdPerson(base), third)
		if len(fields) == 1 {
			put(pastTense(base), pastForm)
			continue
		}
		for _, past := range fields[1:] {
			put(past, pastForm)
		}
		if len(fields) == 3 {
			put(fields[1], sureForm) // a past tense that is no participle
		}
	}
	for _, w := range strings.Fields(`is are was were am has have had does do did isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can can't cannot could couldn't may might must mustn't shall
		shan't should shouldn't will won't would wouldn't ought began became chose came went gave grew knew took wore wrote rose ran spoke saw fell drove drew flew bore broke withdrew says means lies belongs`) {
		m[w] = sureForm
	}
	for _, w := range strings.Fields(`been being be`) {
		delete(m, w)
	}
	return m
}

func thirdPerson(w string) string {
	switch {
	case strings.HasSuffix(w, "y") && !vowel(w[len(w)-2]):
		return w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "sh"), strings.HasSuffix(w, "o"):
		return w + "es"
	}
	return w + "s"
}

func pastTense(w string) string {
	n := len(w)
	switch {
	case strings.HasSuffix(w, "e"):
		return w + "d"
	case strings.HasSuffix(w, "y") && !vowel(w[n-2]):
		return w[:n-1] + "ied"
	case n >= 3 && n <= 4 && !vowel(w[n-1]) && vowel(w[n-2]) && !vowel(w[n-3]) && w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y' && w[n-2:] != "en" && w[n-2:] != "er":
		return w + w[n-1:] + "ed"
	case strings.HasSuffix(w, "mit"), strings.HasSuffix(w, "fer"), strings.HasSuffix(w, "rol"), strings.HasSuffix(w, "cur"):
		return w + w[n-1:] + "ed"
	}
	return w + "ed"
}

func vowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

// nounMarks are words after which a verb form is a noun.
var nounMarks = setOf("a an the this these those its their his her our your my no any each every some all of such another other per in on at for with from by to between and,or")

// wordAt returns the end of the Latin word at i.
func (r *reader) wordAt(i, end int) int {
	for i < end && (wordRune(r.folded[i]) || (r.folded[i] == '\'' || r.folded[i] == '’' || r.folded[i] == '-') && i+1 < end && wordRune(r.folded[i+1])) {
		i++
	}
	return i
}

// latinWord is a Latin word as the search for a predicate sees it.
type latinWord struct {
	end   int32 // behind it; 0 = not looked at
	form  verbForm
	joins wordJoin // of words that are no verb
	known string   // see internWord
}

// wordJoin is what a word that is no verb joins, or how it ends.
type wordJoin uint8

const (
	joinsNothing wordJoin = iota
	joinsRelative
	joinsClause
	endsInS
)

// latinAt is the Latin word at i, read once where it ends before the end: the pieces of a
// sentence are searched for a predicate in several ways.
func (r *reader) latinAt(i, end int) latinWord {
	if len(r.latin) == 0 {
		r.latin = slices.Grow(r.latin, len(r.folded))[:len(r.folded)]
		clear(r.latin)
	}
	if w := r.latin[i]; w.end != 0 && int(w.end) <= end {
		return w
	}
	j := r.wordAt(i, end)
	var buf [32]byte
	b := r.asciiWord(buf[:0], i, j)
	w := latinWord{end: int32(j), form: verbForms[string(b)], known: "?"}
	if len(b) < len(buf) {
		w.known = internWord(b)
	}
	switch string(b) {
	case "who", "which", "whose", "that", "whom":
		w.joins = joinsRelative
	case "when", "if", "unless", "because", "until", "while", "whereas", "although":
		w.joins = joinsClause
	default:
		if n := len(b); n > 3 && b[n-1] == 's' && b[n-2] != 's' {
			w.joins = endsInS
		}
	}
	if j < end { // it does not end there because the search does
		r.latin[i] = w
	}
	return w
}

// englishPredicate finds the first finite verb of an English stretch: where it
// begins and ends (with its auxiliaries).
func (r *reader) englishPredicate(s text.Span) (start, end int, ok bool) {
	prev := ""
	relativeOpen := false // a verb after who or which belongs to the relative clause
	weakStart, weakEnd := -1, -1
	loose := false // the weak one is followed by a preposition: perhaps a noun
	coordinated := !r.opensSentence(s.Start)
	var buf [32]byte
	words := 0
	for i := s.Start; i < s.End; {
		if !wordRune(r.folded[i]) {
			if i > s.Start && (r.folded[i] == ',' || r.folded[i] == '(') {
				if loose {
					return weakStart, weakEnd, true
				}
				prev = "?"
			}
			i++
			continue
		}
		w := r.latinAt(i, s.End)
		j, form := int(w.end), w.form
		if words++; words > 80 {
			break
		}
		switch {
		case r.inValue(text.Span{Start: i, End: j}):
			prev, i = "s", j // "children under twelve travel": a number is followed as a plural is
			continue
		case form == 0:
			switch w.joins {
			case joinsRelative:
				if words > 1 && !nounMarks[prev] {
					relativeOpen = true
				}
			case joinsClause:
				if weakStart >= 0 {
					return weakStart, weakEnd, true
				}
			case endsInS:
				// After it, he, she a word in -s is a verb, known or not.
				if pronounWords[prev] {
					return i, j, true
				}
			}
		case relativeOpen:
			if form == sureForm || form == pluralForm || form == baseForm || form == pastForm {
				relativeOpen = false
			}
		case form == sureForm:
			if prev != "to" && !(nounMarks[prev] && prev != "all" && prev != "some" && prev != "each" && prev != "these" && prev != "those" && prev != "this") {
				// A participle or plural noun before it was no verb after all, unless an
				// object stood next to it.
				if weakStart >= 0 && !loose {
					return weakStart, weakEnd, true
				}
				return i, r.verbGroup(j, s.End), true
			}
		case nounMarks[prev] || words == 1 && form == pluralForm && !coordinated:
		case form == pluralForm, form == baseForm, form == pastForm:
			follows, firm := r.objectFollows(j, s.End)
			if (weakStart < 0 || loose && firm) && follows && (form != baseForm || words == 1 || strings.HasSuffix(prev, "s") || plurals[prev] || firm && (loose || !nounBases[string(r.asciiWord(buf[:0], i, j))])) {
				weakStart, weakEnd = i, j
				if words == 1 || firm && form != pastForm {
					return weakStart, weakEnd, true
				}
				loose = !firm
			}
		}
		prev, i = w.known, j
	}
	if weakStart >= 0 {
		return weakStart, weakEnd, true
	}
	return s.End, s.End, false
}

var plurals = setOf("people men women children staff they we you who police pupils and or also then not please")

// internWord avoids an allocation for the words that are looked at as "the word before".
func internWord(w []byte) string {
	if s, ok := smallWords[string(w)]; ok {
		return s
	}
	if n := len(w); n > 0 && w[n-1] == 's' {
		return "s"
	}
	return "?"
}

var smallWords = buildSmallWords()

func buildSmallWords() map[string]string {
	m := map[string]string{}
	for _, set := range []map[string]bool{nounMarks, plurals, pronounWords} {
		for w := range set {
			m[w] = w
		}
	}
	return m
}

func (r *reader) asciiWord(buf []byte, i, j int) []byte {
	for ; i < j && len(buf) < cap(buf); i++ {
		c := r.folded[i]
		switch {
		case c < 0x80:
			buf = append(buf, byte(c))
		case c == '’':
			buf = append(buf, '\'')
		default:
			buf = append(buf, '?')
		}
	}
	return buf
}

// objectFollows reports whether what comes after a possible verb looks like its
// object or adverbial: a determiner, a number, a preposition, a capital.
//
// It is firm when it cannot follow a noun as well, as a preposition can.
func (r *reader) objectFollows(i, end int) (follows, firm bool) {
	for i < end && r.folded[i] == ' ' {
		i++
	}
	if i >= end {
		return true, false
	}
	if digit(r.folded[i]) || r.runes[i] >= 'A' && r.runes[i] <= 'Z' || r.folded[i] > 0x7f || r.inValue(text.Span{Start: i, End: i + 1}) {
		return true, true
	}
	var buf [16]byte
	w := r.asciiWord(buf[:0], i, r.wordAt(i, end))
	return objectMarks[string(w)] || looseMarks[string(w)], objectMarks[string(w)]
}

// looseMarks may follow a verb or a noun.
var looseMarks = setOf("per in on at for with from by to between up off over under about around after before until during into through against as and if unless when that who which")

var objectMarks = setOf(`a an the this these those its their his her our your my no any each every some all another other out down
 it them him us you me one two three four five six seven eight nine ten half only not more less least most freely again back`)

// verbGroup extends an auxiliary over the words that belong to it: "has not been
// built" begins with has and ends with been.
func (r *reader) verbGroup(i, end int) int {
	for {
		j := i
		for j < end && r.folded[j] == ' ' {
			j++
		}
		k := r.wordAt(j, end)
		if k == j {
			return i
		}
		var buf [16]byte
		if !auxTail[string(r.asciiWord(buf[:0], j, k))] {
			return i
		}
		i = k
	}
}

var auxTail = setOf("not been be being have has had also still now already never always no longer yet only")

// strongAt reports whether the verb at i is a sure one.
func (r *reader) strongAt(i int) bool {
	var buf [32]byte
	return i < len(r.folded) && verbForms[string(r.asciiWord(buf[:0], i, r.wordAt(i, len(r.folded))))] == sureForm
}
