package quantity

import (
	"math/big"
	"math/bits"
)

// number is a number as written, before its unit is known.
type number struct {
	start, end int
	lo, hi     *big.Rat // equal unless the numeral is itself a range (两三, 三四十)
	step       *big.Rat // value of the last stated digit; nil = exact
	sig        int
	digits     int // digits before the point as typed, 0 for words
	plain      bool
	decimals   bool
	magnitude  *big.Rat // 万, million, k …; nil = none
	approx     bool     // 余, 多, 几 inside or after the number
	more       bool     // 余, 多: a little above the stated number
	ratio      bool     // a fraction or percentage in words: the value is a share
	discount   bool     // 折: a share of the price
	weak       bool     // 一, one: may be no more than an article
	separators bool
	word       bool // written in words, not digits
}

var (
	one     = big.NewRat(1, 1)
	half    = big.NewRat(1, 2)
	ten     = big.NewRat(10, 1)
	hundred = big.NewRat(100, 1)
)

// pow10 is a table of the powers of ten that the readers use.
var pow10 = func() [40]*big.Rat {
	var t [40]*big.Rat
	x := big.NewInt(1)
	for i := range t {
		t[i] = new(big.Rat).SetInt(x)
		x = new(big.Int).Mul(x, big.NewInt(10))
	}
	return t
}()

// mul multiplies; whole numbers, which most are, without looking for a common factor.
func mul(a, b *big.Rat) *big.Rat {
	if a.IsInt() && b.IsInt() && a.Num().IsInt64() && b.Num().IsInt64() {
		x, y := a.Num().Int64(), b.Num().Int64()
		if hi, lo := bits.Mul64(magnitude(x), magnitude(y)); hi == 0 && lo < 1<<63 {
			return new(big.Rat).SetInt64(x * y)
		}
	}
	return new(big.Rat).Mul(a, b)
}

// magnitude is a number without its sign.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func add(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 0x7f && isOtherLetter(r)
}

// isOtherLetter covers the Latin, Greek and Cyrillic letters above ASCII, which
// make a neighbouring digit part of a name.
func isOtherLetter(r rune) bool {
	return 0xc0 <= r && r <= 0x24f && r != '×' && r != '÷' || 0x370 <= r && r <= 0x52f
}

func (s *scanner) at(i int) rune {
	if i < 0 || i >= len(s.f) {
		return 0
	}
	return s.f[i]
}

// space skips at most three blanks and one line break.
func (s *scanner) space(i int) int {
	breaks := 0
	for n := 0; n < 4 && i < len(s.f); n++ {
		switch s.f[i] {
		case ' ', '\t':
		case '\n', '\r':
			if breaks++; breaks > 2 {
				return i
			}
		default:
			return i
		}
		i++
	}
	return i
}

// blanks skips at most three blanks on the line.
func (s *scanner) blanks(i int) int {
	for n := 0; n < 3 && i < len(s.f) && (s.f[i] == ' ' || s.f[i] == '\t'); n++ {
		i++
	}
	return i
}

// readDigits reads 1,234.5 at i. ok is false when the run is no number; end is
// then where the search may go on.
func (s *scanner) readDigits(i int) (n number, end int, ok bool) {
	n.start = i
	var mant uint64
	count, sig, frac := 0, 0, 0
	long := false
	push := func(r rune) {
		if count++; count > 18 {
			long = true
			return
		}
		mant = mant*10 + uint64(r-'0')
		if sig > 0 || r != '0' {
			sig++
		}
	}
	j := i
	for isDigit(s.at(j)) {
		push(s.f[j])
		j++
	}
	lead := j - i
	if lead <= 3 && (s.at(j) == ',' || s.at(j) == '\u2019' || s.at(j) == '\'') {
		sep := s.f[j]
		for s.at(j) == sep && isDigit(s.at(j+1)) && isDigit(s.at(j+2)) && isDigit(s.at(j+3)) && !isDigit(s.at(j+4)) {
			push(s.f[j+1])
			push(s.f[j+2])
			push(s.f[j+3])
			j += 4
			n.separators = true
		}
	}
	n.digits = count
	if s.at(j) == '.' && isDigit(s.at(j+1)) {
		k := j + 1
		for isDigit(s.at(k)) {
			push(s.f[k])
			frac++
			k++
		}
		n.decimals = true
		if s.at(k) == '.' && isDigit(s.at(k+1)) {
			// 2.4.1 is a version or an address.
			for isDigit(s.at(k)) || s.at(k) == '.' && isDigit(s.at(k+1)) {
				k++
			}
			return n, k, false
		}
		j = k
	}
	if long {
		return n, j, false
	}
	v := new(big.Rat)
	if frac == 0 {
		v.SetUint64(mant)
	} else {
		v.SetFrac64(int64(mant), pow10[frac].Num().Int64())
	}
	n.lo, n.hi, n.sig, n.end = v, v, sig, j
	if frac > 0 {
		n.step = big.NewRat(1, pow10[frac].Num().Int64())
	}
	n.plain = !n.decimals && !n.separators
	return n, j, true
}

// leadingZero reports 007 or 0571: codes, not numbers.
func (s *scanner) leadingZero(n number) bool {
	return s.at(n.start) == '0' && isDigit(s.at(n.start+1)) && n.plain
}

func hanDigit(r rune) int {
	switch r {
	case '零', '〇', '○':
		return 0
	case '一', '壹':
		return 1
	case '二', '两', '贰', '貳', '兩', '弍':
		return 2
	case '三', '叁', '參', '叄':
		return 3
	case '四', '肆':
		return 4
	case '五', '伍':
		return 5
	case '六', '陆', '陸':
		return 6
	case '七', '柒':
		return 7
	case '八', '捌':
		return 8
	case '九', '玖':
		return 9
	}
	return -1
}

func hanPower(r rune) int {
	switch r {
	case '十', '拾':
		return 1
	case '百', '佰':
		return 2
	case '千', '仟':
		return 3
	case '万', '萬':
		return 4
	case '亿', '億':
		return 8
	}
	return 0
}

func isNumeral(r rune) bool { return hanDigit(r) >= 0 || hanPower(r) > 0 || r == '廿' || r == '卅' }

// readHan reads a Chinese numeral at i. end is past the whole run of numeral
// characters even when it is none.
func (s *scanner) readHan(i int) (n number, end int, ok bool) {
	n.start, n.word = i, true
	j := i
	for j < len(s.f) && isNumeral(s.f[j]) {
		j++
	}
	end = j
	run := s.f[i:j]
	if len(run) > 24 {
		return n, end, false
	}
	powers := 0
	for _, r := range run {
		if hanPower(r) > 0 || r == '廿' || r == '卅' {
			powers++
		}
	}
	n.end = j
	switch {
	case powers == 0 && len(run) == 1:
		n.lo = big.NewRat(int64(hanDigit(run[0])), 1)
		n.hi = n.lo
		n.weak = run[0] == '一'
	case powers == 0 && len(run) == 2 && hanDigit(run[0]) > 0 && hanDigit(run[1]) == hanDigit(run[0])+1:
		// 两三天, 七八个
		n.lo, n.hi = big.NewRat(int64(hanDigit(run[0])), 1), big.NewRat(int64(hanDigit(run[1])), 1)
		n.approx = true
	case powers == 0:
		if len(run) > 18 {
			return n, end, false
		}
		var v int64
		for _, r := range run {
			v = v*10 + int64(hanDigit(r))
		}
		n.lo = big.NewRat(v, 1)
		n.hi, n.digits = n.lo, len(run)
	default:
		// 三四十: a range over the same powers.
		if len(run) >= 3 && hanDigit(run[0]) > 0 && hanDigit(run[1]) == hanDigit(run[0])+1 && hanPower(run[2]) > 0 {
			lo, ok1 := hanValue(append([]rune{run[0]}, run[2:]...))
			hi, ok2 := hanValue(run[1:])
			if !ok1 || !ok2 {
				return n, end, false
			}
			n.lo, n.hi, n.approx = lo, hi, true
			break
		}
		// 十二三岁, 二十七八岁: the last two digits a range.
		if k := len(run); k >= 3 && hanDigit(run[k-2]) > 0 && hanDigit(run[k-1]) == hanDigit(run[k-2])+1 && hanPower(run[k-3]) == 1 {
			lo, ok1 := hanValue(run[:k-1])
			hi, ok2 := hanValue(append(append([]rune{}, run[:k-2]...), run[k-1]))
			if !ok1 || !ok2 {
				return n, end, false
			}
			n.lo, n.hi, n.approx = lo, hi, true
			break
		}
		v, good := hanValue(run)
		if !good {
			return n, end, false
		}
		n.lo, n.hi = v, v
		if p := hanPower(run[len(run)-1]); p >= 4 {
			n.magnitude = pow10[p]
			if q := len(run) - 2; q >= 0 && hanPower(run[q]) >= 4 {
				n.magnitude = mul(n.magnitude, pow10[hanPower(run[q])])
			}
			n.step = n.magnitude
		}
	}
	n.sig = sigDigits(n.lo)
	if s.at(j) == '点' || s.at(j) == '點' {
		k := j + 1
		var frac, scale int64 = 0, 1
		for k < len(s.f) && hanDigit(s.f[k]) >= 0 && scale < 1e9 {
			frac, scale = frac*10+int64(hanDigit(s.f[k])), scale*10
			k++
		}
		// 九点一刻 and 九点二十 are times; 三点五 a number.
		if scale > 1 && hanPower(s.at(k)) != 1 && s.at(k) != '刻' && n.lo == n.hi && !(s.at(k) == '分' && s.at(k+1) != '之') {
			v := add(n.lo, big.NewRat(frac, scale))
			n.lo, n.hi, n.step, n.decimals, n.end = v, v, big.NewRat(1, scale), true, k
			n.weak = false
			if p := hanPower(s.at(k)); p >= 4 {
				n.scale(pow10[p])
				n.end = k + 1
			}
			if end = n.end; end < k {
				end = k
			}
		}
	}
	return n, end, true
}

// scale multiplies the number by a power such as 万 or million.
func (n *number) scale(m *big.Rat) {
	same := n.lo == n.hi
	n.lo = mul(n.lo, m)
	if same {
		n.hi = n.lo
	} else {
		n.hi = mul(n.hi, m)
	}
	if n.step != nil {
		n.step = mul(n.step, m)
	} else {
		n.step = m
	}
	if n.magnitude == nil {
		n.magnitude = m
	} else {
		n.magnitude = mul(n.magnitude, m)
	}
	n.weak = false
}

// hanValue is the value of a numeral with powers, such as 两千零五 or 贰拾叁万.
func hanValue(run []rune) (*big.Rat, bool) {
	var total, section, digit int64
	have := false // a digit waits for its power
	last := 99    // power of the last unit within the section
	zero := false
	lastPower := 0
	for _, r := range run {
		if r == '廿' || r == '卅' {
			if have {
				return nil, false
			}
			section += 20
			if r == '卅' {
				section += 10
			}
			last, lastPower = 1, 1
			continue
		}
		if d := hanDigit(r); d >= 0 {
			if have && digit != 0 {
				return nil, false
			}
			if d == 0 {
				zero = true
				continue
			}
			digit, have = int64(d), true
			continue
		}
		p := hanPower(r)
		if p < 4 {
			if p >= last {
				return nil, false
			}
			if !have {
				digit = 1
			}
			mult := [...]int64{1, 10, 100, 1000}[p]
			section += digit * mult
			digit, have, last, zero, lastPower = 0, false, p, false, p
			continue
		}
		if have {
			section += digit
			digit, have = 0, false
		}
		if section == 0 {
			if total == 0 {
				section = 1
			}
		}
		mult := int64(1e4)
		if p == 8 {
			mult = 1e8
		}
		switch {
		case section == 0: // 万亿
			if total > 1e9 {
				return nil, false
			}
			total *= mult
		case p == 8 && total > 0:
			if total > 1e9 {
				return nil, false
			}
			total = (total + section) * mult
		default:
			total += section * mult
		}
		if total > 9e17 {
			return nil, false
		}
		section, last, zero, lastPower = 0, 99, false, p
	}
	if have {
		// 三万五 is 35,000, 两百五 is 250; 两千零五 is 2005.
		if lastPower > 1 && !zero && section%10 == 0 {
			mult := int64(1)
			for k := 1; k < lastPower; k++ {
				mult *= 10
			}
			digit *= mult
		}
		section += digit
	}
	return big.NewRat(total+section, 1), true
}

func sigDigits(v *big.Rat) int {
	if !v.IsInt() || v.Sign() == 0 {
		return 1
	}
	x := v.Num().String()
	k := len(x)
	for k > 1 && x[k-1] == '0' {
		k--
	}
	return k
}

// enNumber is what one English number word stands for.
type enNumber struct {
	value int64
	kind  byte // 'u' unit 1-9, 't' teen 0,10-19, 'y' tens, 'h' hundred, 'm' thousand and more, 'd' dozen, 'o' ordinal, 'q' half and quarter, 'c' couple
}

var enNumbers = map[string]enNumber{
	"zero": {0, 't'}, "one": {1, 'u'}, "two": {2, 'u'}, "three": {3, 'u'}, "four": {4, 'u'}, "five": {5, 'u'}, "six": {6, 'u'},
	"seven": {7, 'u'}, "eight": {8, 'u'}, "nine": {9, 'u'}, "ten": {10, 't'}, "eleven": {11, 't'}, "twelve": {12, 't'},
	"thirteen": {13, 't'}, "fourteen": {14, 't'}, "fifteen": {15, 't'}, "sixteen": {16, 't'}, "seventeen": {17, 't'},
	"eighteen": {18, 't'}, "nineteen": {19, 't'}, "twenty": {20, 'y'}, "thirty": {30, 'y'}, "forty": {40, 'y'}, "fifty": {50, 'y'},
	"sixty": {60, 'y'}, "seventy": {70, 'y'}, "eighty": {80, 'y'}, "ninety": {90, 'y'}, "hundred": {100, 'h'},
	"thousand": {1e3, 'm'}, "million": {1e6, 'm'}, "billion": {1e9, 'm'}, "trillion": {1e12, 'm'},
	"hundreds": {100, 'x'}, "thousands": {1e3, 'x'}, "millions": {1e6, 'x'}, "billions": {1e9, 'x'},
	"dozen": {12, 'd'}, "half": {2, 'q'}, "halves": {2, 'q'}, "quarter": {4, 'q'}, "quarters": {4, 'q'}, "couple": {2, 'c'},
	"first": {1, 'o'}, "second": {2, 'o'}, "third": {3, 'o'}, "fourth": {4, 'o'}, "fifth": {5, 'o'}, "sixth": {6, 'o'},
	"seventh": {7, 'o'}, "eighth": {8, 'o'}, "ninth": {9, 'o'}, "tenth": {10, 'o'}, "eleventh": {11, 'o'}, "twelfth": {12, 'o'},
	"thirteenth": {13, 'o'}, "fourteenth": {14, 'o'}, "fifteenth": {15, 'o'}, "sixteenth": {16, 'o'}, "seventeenth": {17, 'o'},
	"eighteenth": {18, 'o'}, "nineteenth": {19, 'o'}, "twentieth": {20, 'o'}, "thirtieth": {30, 'o'}, "hundredth": {100, 'o'},
	"once": {1, 'f'}, "twice": {2, 'f'}, "thrice": {3, 'f'},
	"both": {2, 'z'}, "noon": {720, 'k'}, "midday": {720, 'k'}, "midnight": {1440, 'k'},
}

// fractionWords are the denominators that follow a number: two thirds.
var fractionWords = map[string]int64{
	"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
	"fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9, "ninths": 9,
	"tenth": 10, "tenths": 10, "hundredth": 100, "hundredths": 100,
}

// readWords reads a number in English words at i, of at most a dozen words. The
// word at i is known to be a unit, teen, ten or hundred.
func (s *scanner) readWords(i int) (n number, ok bool) {
	n.start, n.word = i, true
	var total, section, last int64
	lastKind := byte(0)
	j, end, words := i, i, 0
	for words < 12 {
		w, e := s.word(j)
		num, known := enNumbers[w]
		if !known {
			if w == "and" && words > 0 && (lastKind == 'h' || lastKind == 'm') {
				k := s.gap(e)
				w2, _ := s.word(k)
				if next, fine := enNumbers[w2]; fine && (next.kind == 'u' || next.kind == 't' || next.kind == 'y' || next.kind == 'h') && k > e {
					j = k
					continue
				}
			}
			break
		}
		fits := false
		switch num.kind {
		case 'u':
			fits = lastKind == 0 || lastKind == 'y' || lastKind == 'h' || lastKind == 'm'
			if fits {
				section += num.value
			}
		case 't', 'y':
			fits = lastKind == 0 || lastKind == 'h' || lastKind == 'm'
			if fits {
				section += num.value
			}
		case 'h':
			fits = section > 0 && section < 100 && lastKind != 'h'
			if fits {
				section *= 100
			}
		case 'm':
			fits = section > 0 && (last == 0 || num.value < last)
			if fits {
				total += section * num.value
				section, last = 0, num.value
				n.magnitude = pow10[digitsOf(num.value)]
			}
		}
		if !fits {
			break
		}
		words++
		lastKind, end = num.kind, e
		j = s.gap(e)
		if j == e {
			break
		}
	}
	if words == 0 {
		return n, false
	}
	if section > 0 {
		n.magnitude = nil
	}
	v := big.NewRat(total+section, 1)
	n.lo, n.hi, n.end = v, v, end
	n.sig = sigDigits(v)
	n.step = n.magnitude
	n.weak = words == 1 && total+section == 1
	return n, true
}

func digitsOf(v int64) int {
	k := 0
	for v >= 10 {
		v /= 10
		k++
	}
	return k
}

// seenWord is a word that was cut at a place.
type seenWord struct {
	at, end int // at: 1 + the place; 0 = none
	word    string
}

// word is the Latin word at i with its end. Words of more than 23 letters come back empty. The
// forms that a number may go on with ask for the words around it again and again.
func (s *scanner) word(i int) (string, int) {
	known := &s.seen[uint(i)%uint(len(s.seen))]
	if known.at != i+1 {
		known.word, known.end = s.cutWord(i)
		known.at = i + 1
	}
	return known.word, known.end
}

func (s *scanner) cutWord(i int) (string, int) {
	j := i
	for j < len(s.f) && 'a' <= s.f[j] && s.f[j] <= 'z' {
		j++
	}
	if j == i || j-i > 23 {
		return "", j
	}
	if j < len(s.f) && isOtherLetter(s.f[j]) {
		return "", j
	}
	var buf [24]byte
	b := buf[:0]
	for _, r := range s.f[i:j] {
		b = append(b, byte(r))
	}
	return string(b), j
}

// gap skips blanks or one hyphen between the words of a number.
func (s *scanner) gap(i int) int {
	if c := s.at(i); (c == '-' || c == '‑') && isLetter(s.at(i+1)) {
		return i + 1
	}
	return s.space(i)
}

func vulgar(r rune) *big.Rat {
	switch r {
	case '½':
		return big.NewRat(1, 2)
	case '¼':
		return big.NewRat(1, 4)
	case '¾':
		return big.NewRat(3, 4)
	case '⅓':
		return big.NewRat(1, 3)
	case '⅔':
		return big.NewRat(2, 3)
	case '⅕':
		return big.NewRat(1, 5)
	case '⅖':
		return big.NewRat(2, 5)
	case '⅗':
		return big.NewRat(3, 5)
	case '⅘':
		return big.NewRat(4, 5)
	case '⅙':
		return big.NewRat(1, 6)
	case '⅚':
		return big.NewRat(5, 6)
	case '⅛':
		return big.NewRat(1, 8)
	case '⅜':
		return big.NewRat(3, 8)
	case '⅝':
		return big.NewRat(5, 8)
	case '⅞':
		return big.NewRat(7, 8)
	}
	return nil
}
