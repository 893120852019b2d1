// Package storetest is the suite that every form of kb.Knowledge passes: the
// embedded store and the remote one.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
)

// Run runs the suite. open returns an empty knowledge base and takes care of
// closing it.
func Run(t *testing.T, open func(t *testing.T) kb.Knowledge) {
	for _, c := range []struct {
		name string
		test func(*testing.T, kb.Knowledge)
	}{
		{"RoundTrip", roundTrip},
		{"Versions", versions},
		{"Unchanged", unchanged},
		{"DisjointValidity", disjointValidity},
		{"SupersedesAcrossDocuments", supersedesAcross},
		{"SupersedesInAnyOrder", supersedesAnyOrder},
		{"SupersedesEachOther", supersedesEachOther},
		{"Readers", readers},
		{"Titles", titles},
		{"Delete", deletes},
		{"DeleteFreesSuperseded", deleteFrees},
		{"Paging", paging},
		{"ChangeFeed", changeFeed},
		{"ChangeFeedResume", changeFeedResume},
		{"Spans", spans},
		{"Invalid", invalid},
		{"AllOrNothing", allOrNothing},
		{"SameIDTwice", sameIDTwice},
		{"Gaps", gaps},
		{"GapFilters", gapFilters},
		{"GapQuestions", gapQuestions},
		{"GapDecisions", gapDecisions},
		{"GapAnswers", gapAnswers},
		{"Reviews", reviews},
		{"Feedback", feedback},
		{"Cancelled", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func day(s string) time.Time {
	d, err := kb.ParseDay(s)
	if err != nil {
		panic(err) // a date written wrong in this suite
	}
	return d
}

func put(t *testing.T, k kb.Knowledge, docs ...kb.Document) kb.IngestReport {
	t.Helper()
	r, err := k.Put(t.Context(), docs)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	return r
}

func get(t *testing.T, k kb.Knowledge, id string, version int) kb.Document {
	t.Helper()
	d, err := k.Document(t.Context(), id, version)
	if err != nil {
		t.Fatalf("Document(%q, %d): %v", id, version, err)
	}
	return d
}

func feed(t *testing.T, k kb.Knowledge, after int64, limit int) []kb.DocumentChange {
	t.Helper()
	var all []kb.DocumentChange
	for {
		cs, err := k.Changes(t.Context(), after, limit)
		if err != nil {
			t.Fatalf("Changes(%d): %v", after, err)
		}
		if len(cs) == 0 {
			return all
		}
		if len(cs) > limit {
			t.Fatalf("Changes(%d, %d) returned %d", after, limit, len(cs))
		}
		for _, c := range cs {
			if c.Seq <= after {
				t.Fatalf("Seq %d after %d", c.Seq, after)
			}
			after = c.Seq
		}
		all = append(all, cs...)
	}
}

// state is the feed applied to nothing: what an index would hold.
func state(changes []kb.DocumentChange) map[string]string {
	out := map[string]string{}
	for _, c := range changes {
		if c.Deleted {
			for key := range out {
				if strings.HasPrefix(key, c.Document.ID+"@") {
					delete(out, key)
				}
			}
			continue
		}
		out[fmt.Sprintf("%s@%d", c.Document.ID, c.Document.Version)] = c.Document.SupersededBy
	}
	return out
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func wantError(t *testing.T, what string, err, sentinel error) {
	t.Helper()
	if !errors.Is(err, sentinel) {
		t.Errorf("%s: error %v, want %v", what, err, sentinel)
	}
}

func roundTrip(t *testing.T, k kb.Knowledge) {
	seven := 7.0
	zero := 0.0
	for _, d := range []kb.Document{
		{ID: "kurs/anmeldung.md", Collection: "school", Title: "Enrolment", Text: "\ufeff# Enrolment\r\n\r\nThe fee is 40 euros. 🎻\r\n", MediaType: "text/markdown",
			Source: "handbook", Domain: "finance", Authority: &seven, PublishedAt: day("2025-03-01"), ValidFrom: day("2025-04-01"), ValidTo: day("2026-03-31"),
			Supersedes: []string{"kurs/old.md@1"}, Readers: []string{"group:office", "group:teachers"}},
		{ID: "琴房.txt", Title: "琴房", Text: "琴房每天开放到22点。𠮷", MediaType: "text/plain", Authority: &zero, Readers: []string{"*"}, Collection: "default"},
	} {
		put(t, k, d)
		got := get(t, k, d.ID, 0)
		if got.IngestedAt.IsZero() || time.Since(got.IngestedAt) > time.Hour {
			t.Errorf("%s: IngestedAt = %v", d.ID, got.IngestedAt)
		}
		d.Version = 1
		d.IngestedAt = got.IngestedAt
		want(t, d.ID, got, d)
	}
	_, err := k.Document(t.Context(), "missing", 0)
	wantError(t, "Document of an unknown id", err, kb.ErrNotFound)
	_, err = k.Document(t.Context(), "琴房.txt", 2)
	wantError(t, "Document of an unknown version", err, kb.ErrNotFound)
	_, err = k.Document(t.Context(), "琴房.txt", -1)
	wantError(t, "Document of version -1", err, kb.ErrInvalid)
}

func versions(t *testing.T, k kb.Knowledge) {
	for i, text := range []string{"The pool opens at 7.", "The pool opens at 8.", "The pool opens at 9."} {
		r := put(t, k, kb.Document{ID: "pool", Text: text})
		if r.Documents != 1 || r.Versions != 1 || r.Chunks != 1 {
			t.Errorf("report of version %d: %+v", i+1, r)
		}
	}
	for v, by := range map[int]string{1: "pool@2", 2: "pool@3", 3: ""} {
		d := get(t, k, "pool", v)
		if d.Version != v || d.SupersededBy != by {
			t.Errorf("version %d: Version %d, SupersededBy %q, want %q", v, d.Version, d.SupersededBy, by)
		}
	}
	if d := get(t, k, "pool", 0); d.Version != 3 || d.Text != "The pool opens at 9." {
		t.Errorf("newest: %+v", d)
	}
	// Going back to an earlier text is a change, too.
	put(t, k, kb.Document{ID: "pool", Text: "The pool opens at 7."})
	if d := get(t, k, "pool", 0); d.Version != 4 {
		t.Errorf("after a return to the first text the newest version is %d", d.Version)
	}
}

func unchanged(t *testing.T, k kb.Knowledge) {
	five := 5.0
	d := kb.Document{ID: "pets", Text: "# Pets\n\nDogs stay outside.", Readers: []string{"b", "a"}}
	put(t, k, d)
	before := feed(t, k, 0, 10)
	for _, again := range []kb.Document{
		d,
		get(t, k, "pets", 0),
		{ID: "pets", Text: d.Text, Readers: []string{"a", "b", "a"}, MediaType: "text/markdown", Collection: "default", Title: "Pets"},
	} {
		if r := put(t, k, again); r.Versions != 0 || r.Documents != 1 || r.Chunks != 0 {
			t.Errorf("an unchanged document: %+v", r)
		}
	}
	want(t, "feed after putting nothing new", feed(t, k, 0, 10), before)
	version := 1
	for name, change := range map[string]func(*kb.Document){
		"title":        func(d *kb.Document) { d.Title = "Animals" },
		"source":       func(d *kb.Document) { d.Source = "forum" },
		"domain":       func(d *kb.Document) { d.Domain = "law" },
		"authority":    func(d *kb.Document) { d.Authority = &five },
		"published_at": func(d *kb.Document) { d.PublishedAt = day("2024-01-01") },
		"valid_from":   func(d *kb.Document) { d.ValidFrom = day("2024-01-01") },
		"valid_to":     func(d *kb.Document) { d.ValidTo = day("2034-01-01") },
		"readers":      func(d *kb.Document) { d.Readers = []string{"a"} },
		"supersedes":   func(d *kb.Document) { d.Supersedes = []string{"cats@1"} },
		"collection":   func(d *kb.Document) { d.Collection = "house" },
		"media_type":   func(d *kb.Document) { d.MediaType = "text/plain" },
	} {
		changed := d
		change(&changed)
		if r := put(t, k, changed); r.Versions != 1 {
			t.Errorf("another %s: %+v", name, r)
		}
		put(t, k, d)
		version += 2
	}
	if got := get(t, k, "pets", 0); got.Version != version {
		t.Errorf("newest version %d, want %d", got.Version, version)
	}
}

func disjointValidity(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "tariff", Text: "A ride costs 2 coins.", ValidFrom: day("2023-01-01"), ValidTo: day("2023-12-31")})
	put(t, k, kb.Document{ID: "tariff", Text: "A ride costs 3 coins.", ValidFrom: day("2024-01-01"), ValidTo: day("2024-12-31")})
	want(t, "two years", state(feed(t, k, 0, 10)), map[string]string{"tariff@1": "", "tariff@2": ""})
	// A correction of 2023 replaces 2023 alone.
	put(t, k, kb.Document{ID: "tariff", Text: "A ride costs 2.5 coins.", ValidFrom: day("2023-01-01"), ValidTo: day("2023-12-31")})
	want(t, "a correction", state(feed(t, k, 0, 10)), map[string]string{"tariff@1": "tariff@3", "tariff@2": "", "tariff@3": ""})
	// One common day is enough, and an open bound is open.
	put(t, k, kb.Document{ID: "tariff", Text: "A ride costs 4 coins.", ValidFrom: day("2024-12-31")})
	want(t, "one common day", state(feed(t, k, 0, 10)), map[string]string{"tariff@1": "tariff@3", "tariff@2": "tariff@4", "tariff@3": "", "tariff@4": ""})
	// What supersedes says counts although the validity is disjoint.
	put(t, k, kb.Document{ID: "tariff", Text: "A ride costs 9 coins.", ValidFrom: day("2030-01-01"), ValidTo: day("2030-12-31"), Supersedes: []string{"tariff@3"}})
	want(t, "named", state(feed(t, k, 0, 10)), map[string]string{"tariff@1": "tariff@3", "tariff@2": "tariff@4", "tariff@3": "tariff@5", "tariff@4": "tariff@5", "tariff@5": ""})
}

func supersedesAcross(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "a", Text: "Version one of a.", ValidTo: day("2020-01-01")})
	put(t, k, kb.Document{ID: "a", Text: "Version two of a.", ValidFrom: day("2021-01-01")})
	seq := feed(t, k, 0, 10)[1].Seq
	put(t, k, kb.Document{ID: "b", Text: "Replaces the second a.", Supersedes: []string{"a@2"}})
	want(t, "id@version", state(feed(t, k, 0, 10)), map[string]string{"a@1": "", "a@2": "b@1", "b@1": ""})
	later := state(feed(t, k, seq, 10))
	want(t, "what a consumer hears that had seen a", later, map[string]string{"a@2": "b@1", "b@1": ""})
	put(t, k, kb.Document{ID: "c", Text: "Replaces all of a.", Supersedes: []string{"a"}})
	want(t, "id", state(feed(t, k, 0, 10)), map[string]string{"a@1": "c@1", "a@2": "b@1", "b@1": "", "c@1": ""})
	// A version of c that says so no more gives a@1 back.
	put(t, k, kb.Document{ID: "c", Text: "Stands beside a."})
	want(t, "withdrawn", state(feed(t, k, 0, 10)), map[string]string{"a@1": "", "a@2": "b@1", "b@1": "", "c@1": "c@2", "c@2": ""})
}

func supersedesAnyOrder(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "new", Text: "The new rule.", Supersedes: []string{"old"}})
	put(t, k, kb.Document{ID: "old", Text: "The old rule."})
	want(t, "the target came last", state(feed(t, k, 0, 10)), map[string]string{"new@1": "", "old@1": "new@1"})
	if d := get(t, k, "old", 0); d.SupersededBy != "new@1" {
		t.Errorf("SupersededBy = %q", d.SupersededBy)
	}
}

func supersedesEachOther(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "x", Text: "The rule of x.", Supersedes: []string{"y"}})
	put(t, k, kb.Document{ID: "y", Text: "The rule of y.", Supersedes: []string{"x"}})
	want(t, "two that supersede each other: the later one counts", state(feed(t, k, 0, 10)), map[string]string{"x@1": "y@1", "y@1": ""})
}

func readers(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "open", Text: "For all."}, kb.Document{ID: "closed", Text: "For some.", Readers: []string{"group:z", "group:b", "group:z"}})
	want(t, "default", get(t, k, "open", 0).Readers, []string{"*"})
	want(t, "given", get(t, k, "closed", 0).Readers, []string{"group:b", "group:z"})
	for _, c := range feed(t, k, 0, 10) {
		if len(c.Document.Readers) == 0 {
			t.Errorf("%s comes without readers on the feed", c.Document.ID)
		}
	}
	_, err := k.Put(t.Context(), []kb.Document{{ID: "bad", Text: "x", Readers: []string{""}}})
	wantError(t, "an empty reader", err, kb.ErrInvalid)
}

func titles(t *testing.T, k kb.Knowledge) {
	for _, c := range []struct {
		doc  kb.Document
		want string
	}{
		{kb.Document{ID: "a.md", Title: "Given", Text: "# Heading\n\nText."}, "Given"},
		{kb.Document{ID: "b.md", Text: "Intro.\n\n## The *second* `level` ##\n\nText.\n"}, "The second level"},
		{kb.Document{ID: "c.md", Text: "标题\n====\n\n正文。"}, "标题"},
		{kb.Document{ID: "sub/d.md", Text: "No heading at all."}, "d.md"},
		{kb.Document{ID: "id:4711", Text: "No heading at all."}, "id:4711"},
	} {
		put(t, k, c.doc)
		if got := get(t, k, c.doc.ID, 0).Title; got != c.want {
			t.Errorf("title of %s: %q, want %q", c.doc.ID, got, c.want)
		}
	}
}

func deletes(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "gone", Collection: "attic", Text: "One."})
	put(t, k, kb.Document{ID: "gone", Collection: "attic", Text: "Two."}, kb.Document{ID: "gone2", Text: "Stays."})
	if err := k.Delete(t.Context(), "gone"); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	wantError(t, "a second Delete", k.Delete(t.Context(), "gone"), kb.ErrNotFound)
	wantError(t, "Delete without id", k.Delete(t.Context(), ""), kb.ErrInvalid)
	for v := range 3 {
		_, err := k.Document(t.Context(), "gone", v)
		wantError(t, fmt.Sprintf("version %d after Delete", v), err, kb.ErrNotFound)
	}
	changes := feed(t, k, 0, 10)
	want(t, "state", state(changes), map[string]string{"gone2@1": ""})
	last := changes[len(changes)-1]
	if !last.Deleted || last.Document.ID != "gone" || last.Document.Collection != "attic" || len(last.Chunks) > 0 {
		t.Errorf("last change: %+v", last)
	}
	put(t, k, kb.Document{ID: "gone", Text: "Back."})
	if d := get(t, k, "gone", 0); d.Version != 1 {
		t.Errorf("put after Delete: version %d", d.Version)
	}
	want(t, "state after the return", state(feed(t, k, 0, 10)), map[string]string{"gone2@1": "", "gone@1": ""})
	want(t, "state after the return, for one who saw all before", state(feed(t, k, last.Seq, 10)), map[string]string{"gone@1": ""})
}

func deleteFrees(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "old", Text: "Old."}, kb.Document{ID: "new", Text: "New.", Supersedes: []string{"old@1"}})
	if by := get(t, k, "old", 0).SupersededBy; by != "new@1" {
		t.Fatalf("SupersededBy = %q", by)
	}
	if err := k.Delete(t.Context(), "new"); err != nil {
		t.Fatal(err)
	}
	if by := get(t, k, "old", 0).SupersededBy; by != "" {
		t.Errorf("after the superseding document is gone: SupersededBy = %q", by)
	}
	want(t, "feed", state(feed(t, k, 0, 10)), map[string]string{"old@1": ""})
}

func paging(t *testing.T, k kb.Knowledge) {
	var all []string
	for i := range 23 {
		id := fmt.Sprintf("doc-%02d", i)
		all = append(all, id)
		put(t, k, kb.Document{ID: id, Text: "Text of " + id})
	}
	put(t, k, kb.Document{ID: "doc-05", Text: "Newer text."})
	for _, size := range []int{1, 5, 23, 100, 5000, 0} {
		var got []string
		token := ""
		for {
			docs, next, err := k.Documents(t.Context(), token, size)
			if err != nil {
				t.Fatalf("Documents: %v", err)
			}
			if size > 0 && len(docs) > size {
				t.Fatalf("a page of %d has %d", size, len(docs))
			}
			for _, d := range docs {
				got = append(got, d.ID)
				if w := map[bool]int{true: 2, false: 1}[d.ID == "doc-05"]; d.Version != w {
					t.Errorf("%s: version %d, want the newest, %d", d.ID, d.Version, w)
				}
				if d.Text != "" {
					t.Errorf("%s: a list holds no texts", d.ID)
				}
			}
			if next == "" {
				break
			}
			token = next
		}
		want(t, fmt.Sprintf("pages of %d", size), got, all)
	}
	_, _, err := k.Documents(t.Context(), "", -1)
	wantError(t, "page size -1", err, kb.ErrInvalid)
	_, _, err = k.Documents(t.Context(), "%", 10)
	wantError(t, "a wrong page token", err, kb.ErrInvalid)
}

func changeFeed(t *testing.T, k kb.Knowledge) {
	want(t, "an empty feed", len(feed(t, k, 0, 10)), 0)
	put(t, k, kb.Document{ID: "a", Text: "First a.\n\nMore of it."}, kb.Document{ID: "b", Text: "First b."})
	put(t, k, kb.Document{ID: "a", Text: "Second a."})
	changes := feed(t, k, 0, 1)
	seen := map[string]int{}
	for _, c := range changes {
		seen[fmt.Sprintf("%s@%d", c.Document.ID, c.Document.Version)]++
		if c.Document.Text == "" || len(c.Chunks) == 0 || c.Document.IngestedAt.IsZero() {
			t.Errorf("an incomplete change: %+v", c)
		}
	}
	want(t, "each version once", seen, map[string]int{"a@1": 1, "a@2": 1, "b@1": 1})
	want(t, "state", state(changes), map[string]string{"a@1": "a@2", "a@2": "", "b@1": ""})
	_, err := k.Changes(t.Context(), 0, -1)
	wantError(t, "limit -1", err, kb.ErrInvalid)
}

func changeFeedResume(t *testing.T, k kb.Knowledge) {
	replica := map[string]string{}
	var at int64
	follow := func() {
		for _, c := range feed(t, k, at, 3) {
			at = c.Seq
			key := fmt.Sprintf("%s@%d", c.Document.ID, c.Document.Version)
			if c.Deleted {
				for key := range replica {
					if strings.HasPrefix(key, c.Document.ID+"@") {
						delete(replica, key)
					}
				}
			} else {
				replica[key] = c.Document.SupersededBy
			}
		}
		want(t, "a consumer that resumes against one that starts anew", replica, state(feed(t, k, 0, 3)))
	}
	for step := range 12 {
		id := fmt.Sprintf("d%d", step%4)
		d := kb.Document{ID: id, Text: fmt.Sprintf("Step %d.", step)}
		if step%3 == 0 {
			d.Supersedes = []string{fmt.Sprintf("d%d", (step+1)%4)}
		}
		put(t, k, d)
		if step%5 == 4 {
			if err := k.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if step%2 == 0 {
			follow()
		}
	}
	follow()
}

func spans(t *testing.T, k kb.Knowledge) {
	long := strings.Repeat("A sentence about 🎺 brass bands in Ottersum. 铜管乐队每周三排练。", 120)
	for id, text := range map[string]string{
		"crlf.md": "---\r\ntitle: X\r\n---\r\n# Überschrift 🦊\r\n\r\nErster Absatz.\r\n\r\n* eins\r\n  * zwei\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n",
		"long.md": "# 长文\n\n" + long,
		"law.txt": "某某条例\n\n第一章 总则\n第一条 为了规范𠮷事，制定本条例。\n第二条 本条例适用于本市。\n",
	} {
		put(t, k, kb.Document{ID: id, Text: text})
		if got := get(t, k, id, 0).Text; got != text {
			t.Errorf("%s: the stored text is another one", id)
		}
	}
	for _, c := range feed(t, k, 0, 10) {
		runes := []rune(c.Document.Text)
		if len(c.Chunks) == 0 {
			t.Errorf("%s has no chunks", c.Document.ID)
		}
		end := 0
		for i, ch := range c.Chunks {
			if ch.Ordinal != i || ch.Start < end || ch.End > len(runes) || ch.Start >= ch.End {
				t.Fatalf("%s: chunk %d has ordinal %d, span %d..%d", c.Document.ID, i, ch.Ordinal, ch.Start, ch.End)
			}
			end = ch.End
			if got := string(runes[ch.Start:ch.End]); got != ch.Text {
				t.Errorf("%s: chunk %d: text %q, document has %q", c.Document.ID, i, ch.Text, got)
			}
			if strings.Contains(ch.Text, "title: X") {
				t.Errorf("%s: front matter in chunk %d", c.Document.ID, i)
			}
			if !slices.Contains([]string{"text", "table", "code"}, ch.Kind) {
				t.Errorf("%s: chunk %d: kind %q", c.Document.ID, i, ch.Kind)
			}
		}
	}
}

func invalid(t *testing.T, k kb.Knowledge) {
	eleven := 11.0
	for name, d := range map[string]kb.Document{
		"document_id":   {Text: "x"},
		"text":          {ID: "a", Text: " \n\t"},
		"authority":     {ID: "a", Text: "x", Authority: &eleven},
		"valid_to":      {ID: "a", Text: "x", ValidFrom: day("2024-02-01"), ValidTo: day("2024-01-31")},
		"supersedes[0]": {ID: "a", Text: "x", Supersedes: []string{"b@0"}},
		"media_type":    {ID: "a", Text: "x", MediaType: "application/pdf"},
	} {
		_, err := k.Put(t.Context(), []kb.Document{{ID: "fine", Text: "fine"}, d})
		wantError(t, name, err, kb.ErrInvalid)
		var inv *kb.InvalidError
		if errors.As(err, &inv) && inv.Field != "documents[1]."+name {
			t.Errorf("the error of %s names %s", name, inv.Field)
		}
	}
	if _, err := k.Put(t.Context(), nil); err != nil {
		t.Errorf("Put of nothing: %v", err)
	}
}

func allOrNothing(t *testing.T, k kb.Knowledge) {
	_, err := k.Put(t.Context(), []kb.Document{{ID: "good", Text: "Fine."}, {ID: "bad"}})
	wantError(t, "a bad document among good ones", err, kb.ErrInvalid)
	_, err = k.Document(t.Context(), "good", 0)
	wantError(t, "the good one, after the call failed", err, kb.ErrNotFound)
}

func sameIDTwice(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "d", Text: "Old."})
	r := put(t, k, kb.Document{ID: "d", Text: "New."}, kb.Document{ID: "d", Text: "Old."})
	if r.Versions != 2 || get(t, k, "d", 0).Version != 3 || get(t, k, "d", 0).Text != "Old." {
		t.Errorf("report %+v, newest %+v", r, get(t, k, "d", 0))
	}
}

func record(t *testing.T, k kb.Knowledge, gaps ...kb.GapRecord) {
	t.Helper()
	if err := k.RecordGaps(t.Context(), gaps); err != nil {
		t.Fatalf("RecordGaps: %v", err)
	}
}

func list(t *testing.T, k kb.Knowledge, q kb.GapQuery) []kb.Gap {
	t.Helper()
	var all []kb.Gap
	for {
		gaps, next, err := k.Gaps(t.Context(), q)
		if err != nil {
			t.Fatalf("Gaps(%+v): %v", q, err)
		}
		all = append(all, gaps...)
		if next == "" {
			return all
		}
		q.PageToken = next
	}
}

func at(s string) time.Time {
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err) // a time written wrong in this suite
	}
	return v
}

func gaps(t *testing.T, k kb.Knowledge) {
	record(t, k, kb.GapRecord{Kind: kb.GapMissing, Text: "没有说明滑雪场的押金", Class: kb.Numeric, Slots: []string{"value"}, Question: "滑雪场的押金是多少？",
		At: at("2026-02-03T10:00:00Z"), TraceID: "t1"})
	record(t, k, kb.GapRecord{Kind: kb.GapMissing, Text: "没有说明滑雪场的押金。", Class: kb.Numeric, Slots: []string{"value", "unit"}, Question: "请问滑雪场押金是多少",
		At: at("2026-02-05T10:00:00Z"), TraceID: "t2"},
		kb.GapRecord{Kind: kb.GapConflict, Text: "Two closing times", Class: kb.Timeliness, Question: "When does the ski hire close?", Documents: []string{"hire", "faq"}, At: at("2026-02-04T10:00:00Z")},
		kb.GapRecord{Kind: kb.GapConflict, Text: "Two closing times", Class: kb.Timeliness, Question: "when does the ski hire close", Documents: []string{"news", "faq"}, At: at("2026-02-01T10:00:00Z")},
		kb.GapRecord{Kind: kb.GapMissing, Question: "When does the ski hire close?", At: at("2026-02-04T12:00:00Z")},
		kb.GapRecord{Kind: kb.GapMissing, Question: "溜冰场的押金是多少？", At: at("2026-02-04T13:00:00Z")})
	got := list(t, k, kb.GapQuery{})
	seen := map[string]bool{}
	for i := range got {
		if got[i].ID == "" || seen[got[i].ID] {
			t.Errorf("gap id %q", got[i].ID)
		}
		seen[got[i].ID] = true
		got[i].ID = ""
	}
	want(t, "gaps", got, []kb.Gap{
		{Kind: kb.GapMissing, Text: "没有说明滑雪场的押金。", Class: kb.Numeric, Slots: []string{"value", "unit"}, Count: 2,
			FirstSeen: at("2026-02-03T10:00:00Z"), LastSeen: at("2026-02-05T10:00:00Z"), Questions: []string{"请问滑雪场押金是多少", "滑雪场的押金是多少？"}, State: kb.GapOpen},
		{Kind: kb.GapConflict, Text: "Two closing times", Class: kb.Timeliness, Count: 2, FirstSeen: at("2026-02-01T10:00:00Z"), LastSeen: at("2026-02-04T10:00:00Z"),
			Questions: []string{"When does the ski hire close?", "when does the ski hire close"}, Documents: []string{"faq", "hire", "news"}, State: kb.GapOpen},
		{Kind: kb.GapMissing, Count: 1, FirstSeen: at("2026-02-04T13:00:00Z"), LastSeen: at("2026-02-04T13:00:00Z"), Questions: []string{"溜冰场的押金是多少？"}, State: kb.GapOpen},
		{Kind: kb.GapMissing, Count: 1, FirstSeen: at("2026-02-04T12:00:00Z"), LastSeen: at("2026-02-04T12:00:00Z"), Questions: []string{"When does the ski hire close?"}, State: kb.GapOpen},
	})
	wantError(t, "an unknown kind", k.RecordGaps(t.Context(), []kb.GapRecord{{Kind: "LOST", Question: "x"}}), kb.ErrInvalid)
	wantError(t, "no question", k.RecordGaps(t.Context(), []kb.GapRecord{{Kind: kb.GapStale}}), kb.ErrInvalid)
	if err := k.RecordGaps(t.Context(), nil); err != nil {
		t.Errorf("no gaps: %v", err)
	}
}

// only is the one gap that there is.
func only(t *testing.T, k kb.Knowledge) kb.Gap {
	t.Helper()
	got := list(t, k, kb.GapQuery{})
	if len(got) != 1 {
		t.Fatalf("%d gaps, want 1", len(got))
	}
	return got[0]
}

func gapDecisions(t *testing.T, k kb.Knowledge) {
	const question = "谁负责养蜂？"
	record(t, k, kb.GapRecord{Kind: kb.GapStale, Question: question, At: at("2026-03-01T10:00:00Z")})
	g := only(t, k)
	if g.DecidedBy != "" || !g.DecidedAt.IsZero() || g.Note != "" {
		t.Errorf("a new gap: %+v, want nobody to have decided", g)
	}
	for _, c := range []struct {
		state, again kb.GapState // what it is when the question is asked again
		note         string
	}{
		{kb.GapResolved, kb.GapOpen, "蜂场.md 第二版"},
		{kb.GapDismissed, kb.GapDismissed, "not ours"},
		{kb.GapOpen, kb.GapOpen, ""},
		{kb.GapResolved, kb.GapOpen, "again"},
	} {
		if err := k.ResolveGap(t.Context(), g.ID, kb.GapDecision{State: c.state, By: "张岚", Note: c.note}); err != nil {
			t.Fatal(err)
		}
		if got := only(t, k); got.State != c.state || got.DecidedBy != "张岚" || got.Note != c.note || got.DecidedAt.IsZero() {
			t.Errorf("decided: %+v, want %s by 张岚 with the note %q", got, c.state, c.note)
		}
		if got := len(list(t, k, kb.GapQuery{State: c.state})); got != 1 {
			t.Errorf("%d gaps are %s, want 1", got, c.state)
		}
		record(t, k, kb.GapRecord{Kind: kb.GapStale, Question: question, At: at("2026-03-02T10:00:00Z")})
		if got := only(t, k); got.State != c.again || got.Note != c.note {
			t.Errorf("a %s gap that is met again: %s with the note %q, want %s with %q", c.state, got.State, got.Note, c.again, c.note)
		}
	}
	by := kb.GapDecision{State: kb.GapResolved, By: "张岚"}
	wantError(t, "an unknown gap", k.ResolveGap(t.Context(), "gap-none", by), kb.ErrNotFound)
	wantError(t, "no state", k.ResolveGap(t.Context(), g.ID, kb.GapDecision{By: "张岚"}), kb.ErrInvalid)
	wantError(t, "nobody", k.ResolveGap(t.Context(), g.ID, kb.GapDecision{State: kb.GapResolved}), kb.ErrInvalid)
	wantError(t, "a note without end", k.ResolveGap(t.Context(), g.ID, kb.GapDecision{State: kb.GapResolved, By: "张岚", Note: strings.Repeat("n", 4001)}), kb.ErrInvalid)
}

func gapAnswers(t *testing.T, k kb.Knowledge) {
	const question = "Who keeps the bees of the station?"
	missing := kb.GapRecord{Kind: kb.GapMissing, Question: question, At: at("2026-03-01T10:00:00Z")}
	answer := func(question, day string, kinds ...kb.GapKind) {
		t.Helper()
		if err := k.RecordAnswers(t.Context(), []kb.GapAnswer{{Question: question, Kinds: kinds, At: at(day + "T12:00:00Z")}}); err != nil {
			t.Fatal(err)
		}
	}
	since := func(what, day string) {
		t.Helper()
		got := only(t, k)
		if wanted := day != ""; wanted != !got.AnsweredAt.IsZero() || wanted && !got.AnsweredAt.Equal(at(day+"T12:00:00Z")) {
			t.Errorf("%s: answered since %v, want %q", what, got.AnsweredAt, day)
		}
	}
	answer(question, "2026-03-01", kb.GapMissing) // no gap yet
	record(t, k, missing)
	since("asked in vain", "")
	answer("Who keeps the goats of the station?", "2026-03-02", kb.GapMissing)
	answer(question, "2026-03-02", kb.GapConflict)
	since("another question, and another kind, answered", "")
	answer("please tell me who keeps the bees of the station", "2026-03-03", kb.GapStale, kb.GapMissing)
	since("answered in other words", "2026-03-03")
	if got := only(t, k); got.State != kb.GapOpen || got.Count != 1 {
		t.Errorf("answered: %s, %d times, want OPEN, 1: a person decides", got.State, got.Count)
	}
	answer(question, "2026-03-05", kb.GapMissing)
	since("answered again", "2026-03-03")
	missing.At = at("2026-03-02T10:00:00Z")
	record(t, k, missing)
	since("of an earlier day, recorded late", "2026-03-03")
	missing.At = at("2026-03-07T10:00:00Z")
	record(t, k, missing)
	since("asked in vain again", "")
	if err := k.ResolveGap(t.Context(), only(t, k).ID, kb.GapDecision{State: kb.GapResolved, By: "M. Tolland"}); err != nil {
		t.Fatal(err)
	}
	answer(question, "2026-03-08", kb.GapMissing)
	since("answered once it is resolved", "")
	wantError(t, "no question", k.RecordAnswers(t.Context(), []kb.GapAnswer{{Kinds: []kb.GapKind{kb.GapMissing}}}), kb.ErrInvalid)
	wantError(t, "an unknown kind", k.RecordAnswers(t.Context(), []kb.GapAnswer{{Question: "x", Kinds: []kb.GapKind{"LOST"}}}), kb.ErrInvalid)
	if err := k.RecordAnswers(t.Context(), nil); err != nil {
		t.Errorf("no answers: %v", err)
	}
}

func gapFilters(t *testing.T, k kb.Knowledge) {
	for i, kind := range []kb.GapKind{kb.GapMissing, kb.GapConflict, kb.GapStale, kb.GapMissing} {
		record(t, k, kb.GapRecord{Kind: kind, Question: fmt.Sprintf("What is tariff number %d?", i), At: at(fmt.Sprintf("2026-03-%02dT23:59:59Z", i+1))})
	}
	// Seen on the 1st and the 20th, not between.
	record(t, k, kb.GapRecord{Kind: kb.GapMissing, Question: "What is tariff number 0?", At: at("2026-03-20T00:00:00Z")})
	for _, c := range []struct {
		name string
		q    kb.GapQuery
		want int
	}{
		{"all", kb.GapQuery{}, 4},
		{"kind", kb.GapQuery{Kind: kb.GapMissing}, 2},
		{"state", kb.GapQuery{State: kb.GapOpen}, 4},
		{"no such state", kb.GapQuery{State: kb.GapDismissed}, 0},
		{"one day", kb.GapQuery{Since: day("2026-03-02"), Until: day("2026-03-02")}, 1},
		{"since", kb.GapQuery{Since: day("2026-03-03")}, 3},
		{"until", kb.GapQuery{Until: day("2026-03-02")}, 2},
		{"between two sightings", kb.GapQuery{Since: day("2026-03-10"), Until: day("2026-03-19")}, 0},
		{"kind and day", kb.GapQuery{Kind: kb.GapMissing, Since: day("2026-03-04"), Until: day("2026-03-04")}, 1},
		{"pages", kb.GapQuery{PageSize: 1}, 4},
		{"pages of a kind", kb.GapQuery{PageSize: 1, Kind: kb.GapMissing}, 2},
	} {
		got := list(t, k, c.q)
		ids := map[string]bool{}
		for _, g := range got {
			ids[g.ID] = true
		}
		if len(got) != c.want || len(ids) != c.want {
			t.Errorf("%s: %d gaps (%d ids), want %d", c.name, len(got), len(ids), c.want)
		}
	}
	for name, q := range map[string]kb.GapQuery{
		"kind": {Kind: "X"}, "state": {State: "X"}, "page token": {PageToken: "%"}, "page size": {PageSize: -1},
		"period": {Since: day("2026-03-02"), Until: day("2026-03-01")},
	} {
		_, _, err := k.Gaps(t.Context(), q)
		wantError(t, "a wrong "+name, err, kb.ErrInvalid)
	}
}

func gapQuestions(t *testing.T, k kb.Knowledge) {
	for i := range 30 {
		// The same question with ever more politeness.
		q := "Which gate is open?" + strings.Repeat("!", i)
		record(t, k, kb.GapRecord{Kind: kb.GapMissing, Question: q, At: at("2026-03-01T00:00:00Z").Add(time.Duration(i) * time.Minute)})
	}
	got := list(t, k, kb.GapQuery{})
	if len(got) != 1 || got[0].Count != 30 || len(got[0].Questions) != 20 {
		t.Fatalf("%d gaps, the first: %+v", len(got), got[0])
	}
	if got[0].Questions[0] != "Which gate is open?"+strings.Repeat("!", 29) {
		t.Errorf("the newest wording is %q", got[0].Questions[0])
	}
}

func reviews(t *testing.T, k kb.Knowledge) {
	for i := range 5 {
		if err := k.RecordReview(t.Context(), kb.Review{ID: fmt.Sprintf("r%d", i), Kind: "CONFLICT", Question: "Which?", Text: "Two values", TraceID: "t",
			Documents: []string{"b", "a"}, CreatedAt: at("2026-01-01T08:00:00Z")}); err != nil {
			t.Fatalf("RecordReview: %v", err)
		}
	}
	if err := k.RecordReview(t.Context(), kb.Review{Kind: "GATE", Question: "Why?"}); err != nil {
		t.Fatalf("RecordReview without id: %v", err)
	}
	if err := k.ResolveReview(t.Context(), "r2", kb.GapResolved, "fixed"); err != nil {
		t.Fatalf("ResolveReview: %v", err)
	}
	var got []kb.Review
	token := ""
	for {
		page, next, err := k.Reviews(t.Context(), token, 4)
		if err != nil {
			t.Fatalf("Reviews: %v", err)
		}
		got = append(got, page...)
		if next == "" {
			break
		}
		token = next
	}
	if len(got) != 6 {
		t.Fatalf("%d reviews", len(got))
	}
	if first := got[0]; first.ID == "" || first.Kind != "GATE" || first.State != kb.GapOpen || first.CreatedAt.IsZero() {
		t.Errorf("the newest: %+v", first)
	}
	want(t, "a resolved review", got[3], kb.Review{ID: "r2", Kind: "CONFLICT", Question: "Which?", Text: "Two values", TraceID: "t", Documents: []string{"b", "a"},
		CreatedAt: at("2026-01-01T08:00:00Z"), State: kb.GapResolved, Note: "fixed"})
	wantError(t, "resolving an unknown review", k.ResolveReview(t.Context(), "none", kb.GapResolved, ""), kb.ErrNotFound)
	wantError(t, "an unknown state", k.ResolveReview(t.Context(), "r1", "DONE", ""), kb.ErrInvalid)
	wantError(t, "an unknown kind", k.RecordReview(t.Context(), kb.Review{Kind: "X"}), kb.ErrInvalid)
	wantError(t, "an id that exists", k.RecordReview(t.Context(), kb.Review{ID: "r1", Kind: "GATE"}), kb.ErrConflict)
}

func feedback(t *testing.T, k kb.Knowledge) {
	if err := k.RecordFeedback(t.Context(), kb.Feedback{TraceID: "t1", Helpful: true}); err != nil {
		t.Fatalf("RecordFeedback: %v", err)
	}
	if err := k.RecordFeedback(t.Context(), kb.Feedback{TraceID: "t2", Comment: "Wrong year.", Question: "When was the pier built?", Documents: []string{"pier.md", "航道.md"}}); err != nil {
		t.Fatalf("RecordFeedback: %v", err)
	}
	got, _, err := k.Reviews(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Kind != "FEEDBACK" || got[0].TraceID != "t2" || got[0].Text != "Wrong year." ||
		got[0].Question != "When was the pier built?" || !slices.Equal(got[0].Documents, []string{"pier.md", "航道.md"}) {
		t.Errorf("an unhelpful reply becomes a review, a helpful one does not: %+v", got)
	}
	wantError(t, "no trace id", k.RecordFeedback(t.Context(), kb.Feedback{Helpful: true}), kb.ErrInvalid)
}

func cancelled(t *testing.T, k kb.Knowledge) {
	put(t, k, kb.Document{ID: "a", Text: "Text."})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Put":            func() error { _, err := k.Put(ctx, []kb.Document{{ID: "b", Text: "x"}}); return err },
		"Document":       func() error { _, err := k.Document(ctx, "a", 0); return err },
		"Documents":      func() error { _, _, err := k.Documents(ctx, "", 0); return err },
		"Delete":         func() error { return k.Delete(ctx, "a") },
		"Changes":        func() error { _, err := k.Changes(ctx, 0, 10); return err },
		"RecordGaps":     func() error { return k.RecordGaps(ctx, []kb.GapRecord{{Kind: kb.GapMissing, Question: "x"}}) },
		"Gaps":           func() error { _, _, err := k.Gaps(ctx, kb.GapQuery{}); return err },
		"RecordReview":   func() error { return k.RecordReview(ctx, kb.Review{Kind: "GATE"}) },
		"Reviews":        func() error { _, _, err := k.Reviews(ctx, "", 0); return err },
		"ResolveReview":  func() error { return k.ResolveReview(ctx, "x", kb.GapResolved, "") },
		"RecordFeedback": func() error { return k.RecordFeedback(ctx, kb.Feedback{TraceID: "x"}) },
		"ResolveGap":     func() error { return k.ResolveGap(ctx, "x", kb.GapDecision{State: kb.GapResolved, By: "x"}) },
		"RecordAnswers": func() error {
			return k.RecordAnswers(ctx, []kb.GapAnswer{{Question: "x", Kinds: []kb.GapKind{kb.GapMissing}}})
		},
	} {
		wantError(t, name+" with a cancelled context", call(), context.Canceled)
	}
	late, stop := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer stop()
	_, err := k.Document(late, "a", 0)
	wantError(t, "a deadline that has passed", err, context.DeadlineExceeded)
	if d := get(t, k, "a", 0); d.Version != 1 {
		t.Errorf("after cancelled calls: %+v", d)
	}
	_, err = k.Document(t.Context(), "b", 0)
	wantError(t, "what a cancelled Put should have written", err, kb.ErrNotFound)
}
