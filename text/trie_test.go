package text

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The trie says what trying every phrase at the place says.
func TestTrieLongest(t *testing.T) {
	phrases := map[int16]string{1: "a|ab|abc d|d", 2: "不|不得|不得不|得", 3: "don't|do|b c", 4: "x-y|é|éa"}
	trie := NewTrie(phrases)
	plainly := strings.NewReplacer("’", "'", "\n", " ", "\t", " ")
	longest := func(f []rune, i int) (end int, class int16, ok bool) {
		for c, list := range phrases {
			for p := range strings.SplitSeq(list, "|") {
				j := i
				for _, r := range p {
					if j >= len(f) || plainly.Replace(string(f[j])) != string(r) {
						j = -1
						break
					}
					for j++; r == ' ' && j < len(f) && strings.ContainsRune(" \n\t", f[j]); j++ {
					}
				}
				if j > end && (IsHan(f[j-1]) || j == len(f) || !isWordRune(f[j]) || IsHan(f[j])) {
					end, class, ok = j, c, true
				}
			}
		}
		return end, class, ok
	}
	signs := []rune("aaabbcddexy-é'’ \n\t不得")
	source := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 4000 {
		f := make([]rune, 1+source.IntN(9))
		for i := range f {
			f[i] = signs[source.IntN(len(signs))]
		}
		for i := range f {
			end, class, ok := trie.Longest(f, i)
			wantEnd, wantClass, wantOK := longest(f, i)
			if end != wantEnd || class != wantClass || ok != wantOK {
				t.Fatalf("Longest(%q, %d) = %d, %d, %v, want %d, %d, %v", string(f), i, end, class, ok, wantEnd, wantClass, wantOK)
			}
			if ok {
				found++
			}
		}
	}
	if found < 1000 {
		t.Fatalf("only %d phrases found", found)
	}
}

// A list of the caller's keeps what it has, and texts that follow each other share nothing.
func TestAppendTerms(t *testing.T) {
	first := Fold([]rune("The tenants' deposits are returned; the deposit is 200 euros. 押金应当退还。"))
	second := Fold([]rune("Deposits of 5 guests"))
	want := append(TermsWith(nil, first, nil), TermsWith(nil, second, nil)...)
	got := AppendTerms(AppendTerms(nil, nil, first, nil), nil, second, nil)
	if len(got) != len(want) || len(got) < 8 {
		t.Fatalf("%d terms, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("term %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}
