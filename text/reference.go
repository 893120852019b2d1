package text

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reference is a pointer of a text to another place: "see Appendix B", 详见附件二,
// 按照《差旅办法》第八条.
type Reference struct {
	Title string // of another document; "" = the same document
	Kind  string // appendix, article, section, table, ...; "" = the whole document
	Label string // B, 2, 4.2: letters in capitals, numbers in digits
}

// The kinds of places. What stands together means the same to a reader who looks a
// place up.
var referenceKinds = map[string]string{
	"appendix": "appendix", "annex": "appendix", "attachment": "appendix", "exhibit": "appendix", "schedule": "appendix",
	"附件": "appendix", "附录": "appendix", "附表": "appendix",
	"section": "section", "chapter": "chapter", "part": "part", "article": "article", "clause": "article", "table": "table",
	"条": "article", "章": "chapter", "节": "section", "款": "paragraph", "部分": "part", "表": "table",
}

const (
	hanNumber   = `[〇零一二三四五六七八九十百千\d]+(?:\.\d+)*`
	latinLabel  = `([A-Z]|\d+(?:\.\d+)*|[IVX]+)`
	latinPlaces = `(?i:(appendix|annex|attachment|exhibit|schedule|section|chapter|part|article|clause|table))`
	hanCue      = `(?:见|参见|详见|参照|参阅|依照|按照|按|依据|根据|遵照|适用|执行|规定于|载于|列于|符合|依)`
	latinCue    = `(?i:see(?: also)?|refer to|referred to in|(?:set out|described|defined|listed|specified|given|laid down|shown|provided|stated) in|according to|in accordance with|under|subject to|per|pursuant to|consult)`
)

var (
	// A cue, a title or 本办法 between them, a place.
	hanReference = regexp.MustCompile(hanCue + `[^，。；、（）《》\n]{0,4}?(?:《([^《》\n]{2,40})》|本\p{Han}{1,4}?)?(?:的|之|中)?(?:第(` + hanNumber + `)(条|章|节|部分)|(附件|附录|附表|表)\s*(` + hanNumber + `|[A-Za-zＡ-Ｚ])?)`)
	hanTitle     = regexp.MustCompile(hanCue + `[^，。；、（）《》\n]{0,4}?《([^《》\n]{2,40})》`)
	latinPlace   = regexp.MustCompile(latinCue + `\s+(?:the\s+)?` + latinPlaces + `\s+` + latinLabel + `(?:[^\w.-]|\.\s|\.$|$)`)
	latinTitle   = regexp.MustCompile(latinCue + `\s+(?:the\s+)?["“]([^"”\n]{3,60})["”]`)
)

// References returns the places that a text points to, in order, each once. Only what
// stands behind a word that points (见, 按照, see, set out in) counts: a heading names
// itself and points nowhere.
func References(s string) []Reference {
	var out []Reference
	add := func(r Reference) {
		if r.Kind == "" && r.Title == "" {
			return
		}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, m := range hanReference.FindAllStringSubmatch(s, -1) {
		switch {
		case m[2] != "":
			add(Reference{Title: m[1], Kind: referenceKinds[m[3]], Label: placeLabel(m[2])})
		case m[4] != "" && (m[5] != "" || m[4] != "表"):
			add(Reference{Title: m[1], Kind: referenceKinds[m[4]], Label: placeLabel(m[5])})
		}
	}
	for _, m := range hanTitle.FindAllStringSubmatch(s, -1) {
		if !slices.ContainsFunc(out, func(r Reference) bool { return r.Title == m[1] }) {
			add(Reference{Title: m[1]})
		}
	}
	for _, m := range latinPlace.FindAllStringSubmatch(s, -1) {
		add(Reference{Kind: referenceKinds[strings.ToLower(m[1])], Label: placeLabel(m[2])})
	}
	for _, m := range latinTitle.FindAllStringSubmatch(s, -1) {
		add(Reference{Title: strings.TrimRight(m[1], ".,;")})
	}
	return out
}

var (
	hanPlace     = regexp.MustCompile(`^\s*(?:第(` + hanNumber + `)(条|章|节|部分)|(附件|附录|附表|表)\s*(` + hanNumber + `|[A-Za-zＡ-Ｚ])?)`)
	latinHeading = regexp.MustCompile(`^\s*(?:` + latinPlaces + `\s+` + latinLabel + `\b|(\d+(?:\.\d+)*)(?:[.)、\s]|$))`)
)

// Names reports whether a heading, or the first words of a text, are the place that a
// reference points to, whatever title it gives.
func (r Reference) Names(heading string) bool {
	if r.Kind == "" {
		return false
	}
	if m := hanPlace.FindStringSubmatch(heading); m != nil {
		if m[2] != "" {
			return r.Kind == referenceKinds[m[2]] && r.Label == placeLabel(m[1])
		}
		return r.Kind == referenceKinds[m[3]] && r.Label == placeLabel(m[4])
	}
	m := latinHeading.FindStringSubmatch(heading)
	if m == nil {
		return false
	}
	if m[3] != "" { // "4.2 Rates" is section 4.2, and chapter 4 may be "4. Rates"
		return (r.Kind == "section" || r.Kind == "chapter" || r.Kind == "article") && r.Label == m[3]
	}
	return r.Kind == referenceKinds[strings.ToLower(m[1])] && r.Label == placeLabel(m[2])
}

// placeLabel writes the number of a place in one way: 八 and 8 are the same, and so are
// b, B and Ｂ.
func placeLabel(s string) string {
	s = strings.ToUpper(string(Fold([]rune(s))))
	n, section := 0, 0
	for _, r := range s {
		digit := strings.IndexRune("零一二三四五六七八九", r) / len("零")
		switch {
		case r == '〇':
			section = 0
		case strings.ContainsRune("零一二三四五六七八九", r):
			section = digit
		case r == '十':
			n, section = n+max(1, section)*10, 0
		case r == '百':
			n, section = n+max(1, section)*100, 0
		case r == '千':
			n, section = n+max(1, section)*1000, 0
		default:
			return s
		}
	}
	if s == "" {
		return ""
	}
	return strconv.Itoa(n + section)
}

// BreaksOff reports whether a text announces at its end what it does not hold any more.
func BreaksOff(s string) bool {
	s = strings.TrimRight(s, " \t\r\n*_")
	return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：")
}
