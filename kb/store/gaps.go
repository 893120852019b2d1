package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/gap"
)

// maxQuestions is how many distinct wordings of a gap are given out, and kept.
const maxQuestions = 20

// maxGapDocuments bounds the documents that a gap lists.
const maxGapDocuments = 50

// loadGaps fills the index of wordings.
func (s *Store) loadGaps(ctx context.Context) error {
	return s.view(ctx, "load gaps", func(ctx context.Context, tx *txn) error {
		if tx.dialect == postgres {
			return s.readGaps(ctx, tx)
		}
		return s.fileGaps(ctx, tx, `SELECT g.kind, q.gap_id, q.question, 0 FROM gap_questions q JOIN gaps g ON g.id = q.gap_id ORDER BY g.first_seen, g.id, q.question`)
	})
}

// fileGaps adds the wordings that the query gives, with their numbers, to the index.
func (s *Store) fileGaps(ctx context.Context, tx *txn, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
	for rows.Next() {
		var kind, id, question string
		var seq int64
		if err := rows.Scan(&kind, &id, &question, &seq); err != nil {
			return err
		}
		w := gap.Read(question)
		s.filing.Lock()
		s.gaps.Add(kind, id, w)
		s.gapSeq = max(s.gapSeq, seq)
		s.filing.Unlock()
	}
	return rows.Err()
}

// RecordGaps adds to the ledger, all or nothing. A question with the same or
// nearly the same wording as an earlier one of that kind counts for its gap; a
// resolved gap that is met again is open again.
func (s *Store) RecordGaps(ctx context.Context, gaps []kb.GapRecord) error {
	for i, g := range gaps {
		if err := checkKind(fmt.Sprintf("gaps[%d].kind", i), g.Kind); err != nil {
			return err
		}
		if g.Question == "" {
			return kb.Invalid(fmt.Sprintf("gaps[%d].question", i), "is empty")
		}
	}
	if len(gaps) == 0 {
		return ctx.Err()
	}
	gaps = slices.Clone(gaps)
	for i := range gaps {
		g := &gaps[i]
		g.Text, g.Question, g.TraceID = clean(g.Text), clean(g.Question), clean(g.TraceID)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	type added struct {
		kind, id string
		wording  gap.Wording
	}
	var news []added
	err := s.update(ctx, "record gaps", func(ctx context.Context, tx *txn) error {
		if err := s.readGaps(ctx, tx); err != nil {
			return err
		}
		// Wordings of this call count only once it is committed.
		var fresh gap.Index
		for _, g := range gaps {
			if g.At.IsZero() {
				g.At = s.opt.Now()
			}
			w := gap.Read(g.Question)
			id := s.gapOf(g.Kind, w)
			if id == "" {
				id = fresh.Find(string(g.Kind), w)
			}
			var err error
			if id == "" {
				id = gapID(g.Kind, w)
				err = insertGap(ctx, tx, id, g)
			} else {
				err = addToGap(ctx, tx, id, g)
			}
			if err != nil {
				return err
			}
			fresh.Add(string(g.Kind), id, w)
			news = append(news, added{string(g.Kind), id, w})
			if err := addQuestion(ctx, tx, id, g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.filing.Lock()
	defer s.filing.Unlock()
	for _, a := range news {
		s.gaps.Add(a.kind, a.id, a.wording)
	}
	return nil
}

// gapOf is the gap that a wording belongs to; "" = none.
func (s *Store) gapOf(kind kb.GapKind, w gap.Wording) string {
	s.filing.RLock()
	defer s.filing.RUnlock()
	return s.gaps.Find(string(kind), w)
}

func checkKind(field string, k kb.GapKind) error {
	switch k {
	case kb.GapMissing, kb.GapConflict, kb.GapStale:
		return nil
	}
	return kb.Invalid(field, "%q is none of MISSING, CONFLICT, STALE", k)
}

// RecordAnswers is kb.Knowledge. It writes only where an open gap is not answered yet, and
// waits for the writers no longer than the context lasts.
func (s *Store) RecordAnswers(ctx context.Context, answers []kb.GapAnswer) error {
	for i, a := range answers {
		if a.Question == "" {
			return kb.Invalid(fmt.Sprintf("answers[%d].question", i), "is empty")
		}
		for j, k := range a.Kinds {
			if err := checkKind(fmt.Sprintf("answers[%d].kinds[%d]", i, j), k); err != nil {
				return err
			}
		}
	}
	if len(answers) == 0 {
		return ctx.Err()
	}
	const open = `state = 'OPEN' AND answered_at = 0`
	if !s.Shared() && !slices.ContainsFunc(answers, s.concerns) {
		return ctx.Err() // nearly all answers; others' gaps are not known before they are read
	}
	due := map[string]int64{}
	err := s.view(ctx, "record answers", func(ctx context.Context, tx *txn) error {
		if err := s.readGaps(ctx, tx); err != nil {
			return err
		}
		for _, a := range answers {
			if a.At.IsZero() {
				a.At = s.opt.Now()
			}
			w := gap.Read(clean(a.Question))
			for _, k := range a.Kinds {
				id := s.gapOf(k, w)
				if id == "" {
					continue
				}
				var n int
				if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM gaps WHERE id = ? AND `+open, id).Scan(&n); err != nil {
					return err
				}
				if n > 0 {
					due[id] = a.At.UnixMicro()
				}
			}
		}
		return nil
	})
	if err != nil || len(due) == 0 {
		return err
	}
	for !s.writing.TryLock() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
	defer s.writing.Unlock()
	return s.update(ctx, "record answers", func(ctx context.Context, tx *txn) error {
		for _, id := range slices.Sorted(maps.Keys(due)) {
			if _, err := tx.ExecContext(ctx, `UPDATE gaps SET answered_at = ? WHERE id = ? AND `+open, due[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// concerns reports whether an answer is to a question that has a gap.
func (s *Store) concerns(a kb.GapAnswer) bool {
	w := gap.Read(clean(a.Question))
	return slices.ContainsFunc(a.Kinds, func(k kb.GapKind) bool { return s.gapOf(k, w) != "" })
}

// lockPoll is how often one that must not wait for long looks whether others write.
const lockPoll = 5 * time.Millisecond

// clean makes a text one that every database takes: what no text can hold stands as
// the replacement character.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func gapID(kind kb.GapKind, w gap.Wording) string {
	sum := sha256.Sum256([]byte(string(kind) + "\x00" + w.Key()))
	return "gap-" + hex.EncodeToString(sum[:8])
}

func insertGap(ctx context.Context, tx *txn, id string, g kb.GapRecord) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO gaps (id, kind, text, class, slots, documents, count, first_seen, last_seen, state, trace_id)
		VALUES (?,?,?,?,?,?,1,?,?,?,?)`, id, g.Kind, g.Text, g.Class, jsonList(g.Slots), jsonList(union(nil, g.Documents)),
		g.At.UnixMicro(), g.At.UnixMicro(), kb.GapOpen, g.TraceID)
	return err
}

// addToGap counts one more occurrence. Text, class and slots are those of the
// newest one; documents add up.
func addToGap(ctx context.Context, tx *txn, id string, g kb.GapRecord) error {
	var docs string
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT documents, last_seen FROM gaps WHERE id = ?`, id).Scan(&docs, &last); err != nil {
		return err
	}
	old, err := readList(docs)
	if err != nil {
		return err
	}
	at := g.At.UnixMicro()
	if _, err := tx.ExecContext(ctx, `UPDATE gaps SET count = count + 1, documents = ?1, first_seen = CASE WHEN ?2 < first_seen THEN ?2 ELSE first_seen END,
		last_seen = CASE WHEN ?2 > last_seen THEN ?2 ELSE last_seen END,
		answered_at = CASE WHEN ?2 > answered_at THEN 0 ELSE answered_at END,
		state = CASE state WHEN 'RESOLVED' THEN 'OPEN' ELSE state END WHERE id = ?3`, jsonList(union(old, g.Documents)), at, id); err != nil {
		return err
	}
	if at < last {
		return nil
	}
	_, err = tx.ExecContext(ctx, `UPDATE gaps SET text = ?, class = ?, slots = ?, trace_id = ? WHERE id = ?`, g.Text, g.Class, jsonList(g.Slots), g.TraceID, id)
	return err
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxGapDocuments)]
}

func addQuestion(ctx context.Context, tx *txn, id string, g kb.GapRecord) error {
	at := g.At.UnixMicro()
	met, err := tx.ExecContext(ctx, `UPDATE gap_questions SET count = count + 1, last_seen = CASE WHEN ?3 > last_seen THEN ?3 ELSE last_seen END
		WHERE gap_id = ?1 AND question = ?2`, id, g.Question, at)
	if err != nil {
		return err
	}
	n, err := met.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		if _, err := tx.ExecContext(ctx, `INSERT INTO gap_questions (gap_id, question, count, last_seen) VALUES (?,?,1,?)`, id, g.Question, at); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM gap_questions WHERE gap_id = ?1 AND question NOT IN
		(SELECT question FROM gap_questions WHERE gap_id = ?1 ORDER BY last_seen DESC, question LIMIT ?2)`, id, maxQuestions); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO gap_days (gap_id, day, count) VALUES (?,?,1)
		ON CONFLICT (gap_id, day) DO UPDATE SET count = gap_days.count + 1`, id, kb.FormatDay(g.At.UTC()))
	return err
}

type gapCursor struct {
	Count int    `json:"c"`
	Last  int64  `json:"l"`
	ID    string `json:"i"`
}

// Gaps lists gaps, the most frequent first, then the last seen, then by id. A
// period selects the gaps that were met on one of its days (UTC).
func (s *Store) Gaps(ctx context.Context, q kb.GapQuery) ([]kb.Gap, string, error) {
	size, err := pageLimit(q.PageSize)
	if err != nil {
		return nil, "", err
	}
	if q.Kind != "" {
		if err := checkKind("kind", q.Kind); err != nil {
			return nil, "", err
		}
	}
	if err := checkState("state", q.State, true); err != nil {
		return nil, "", err
	}
	if !q.Since.IsZero() && !q.Until.IsZero() && q.Until.Before(q.Since) {
		return nil, "", kb.Invalid("until", "%s lies before since %s", kb.FormatDay(q.Until), kb.FormatDay(q.Since))
	}
	from := gapCursor{Count: 1 << 60}
	if q.PageToken != "" {
		if err := readToken(q.PageToken, &from); err != nil {
			return nil, "", err
		}
	}
	var gaps []kb.Gap
	err = s.view(ctx, "gaps", func(ctx context.Context, tx *txn) error {
		rows, err := tx.QueryContext(ctx, `SELECT id, kind, text, class, slots, documents, count, first_seen, last_seen, state, note, decided_by, decided_at, answered_at FROM gaps g
			WHERE (?1 = '' OR kind = ?1) AND (?2 = '' OR state = ?2)
			  AND (?3 = '' AND ?4 = '' OR EXISTS (SELECT 1 FROM gap_days d WHERE d.gap_id = g.id AND (?3 = '' OR d.day >= ?3) AND (?4 = '' OR d.day <= ?4)))
			  AND (count < ?5 OR count = ?5 AND (last_seen < ?6 OR last_seen = ?6 AND id > ?7))
			ORDER BY count DESC, last_seen DESC, id LIMIT ?8`,
			q.Kind, q.State, kb.FormatDay(q.Since), kb.FormatDay(q.Until), from.Count, from.Last, from.ID, size+1)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
		for rows.Next() {
			var g kb.Gap
			var slots, docs string
			var first, last, decided, answered int64
			if err := rows.Scan(&g.ID, &g.Kind, &g.Text, &g.Class, &slots, &docs, &g.Count, &first, &last, &g.State, &g.Note, &g.DecidedBy, &decided, &answered); err != nil {
				return err
			}
			g.FirstSeen, g.LastSeen = moment(first), moment(last)
			if decided != 0 {
				g.DecidedAt = moment(decided)
			}
			if answered != 0 {
				g.AnsweredAt = moment(answered)
			}
			if g.Slots, err = readList(slots); err != nil {
				return err
			}
			if g.Documents, err = readList(docs); err != nil {
				return err
			}
			gaps = append(gaps, g)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for i := range gaps {
			if gaps[i].Questions, err = questions(ctx, tx, gaps[i].ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(gaps) > size {
		gaps = gaps[:size]
		g := gaps[size-1]
		next = token(gapCursor{g.Count, g.LastSeen.UnixMicro(), g.ID})
	}
	return gaps, next, nil
}

func questions(ctx context.Context, tx *txn, id string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT question FROM gap_questions WHERE gap_id = ? ORDER BY last_seen DESC, question LIMIT ?`, id, maxQuestions)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
	var out []string
	for rows.Next() {
		var q string
		if err := rows.Scan(&q); err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, rows.Err()
}

func checkState(field string, st kb.GapState, empty bool) error {
	switch st {
	case kb.GapOpen, kb.GapResolved, kb.GapDismissed:
		return nil
	case "":
		if empty {
			return nil
		}
	}
	return kb.Invalid(field, "%q is none of OPEN, RESOLVED, DISMISSED", st)
}

// maxWho and maxNote bound the name of one who decides and what they note, in bytes: both
// go with every list of gaps.
const (
	maxWho  = 200
	maxNote = 4000
)

// ResolveGap is kb.Knowledge.
func (s *Store) ResolveGap(ctx context.Context, id string, d kb.GapDecision) error {
	if err := checkState("state", d.State, false); err != nil {
		return err
	}
	if strings.TrimSpace(d.By) == "" {
		return kb.Invalid("by", "is empty; write who decides")
	}
	if len(d.By) > maxWho {
		return kb.Invalid("by", "has %d bytes; at most %d", len(d.By), maxWho)
	}
	if len(d.Note) > maxNote {
		return kb.Invalid("note", "has %d bytes; at most %d", len(d.Note), maxNote)
	}
	return s.resolve(ctx, "gap", id, `UPDATE gaps SET state = ?, note = ?, decided_by = ?, decided_at = ? WHERE id = ?`,
		d.State, clean(d.Note), clean(d.By), s.opt.Now().UnixMicro(), clean(id))
}

// ResolveReview sets the state and note of a review.
func (s *Store) ResolveReview(ctx context.Context, id string, state kb.GapState, note string) error {
	if err := checkState("state", state, false); err != nil {
		return err
	}
	return s.resolve(ctx, "review", id, `UPDATE reviews SET state = ?, note = ? WHERE id = ?`, state, clean(note), clean(id))
}

func (s *Store) resolve(ctx context.Context, what, id, update string, args ...any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.update(ctx, "resolve "+what, func(ctx context.Context, tx *txn) error {
		res, err := tx.ExecContext(ctx, update, args...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("%s %q: %w", what, id, kb.ErrNotFound)
		}
		return nil
	})
}

// RecordReview files a case for a person. It gets an id, a time and the state
// OPEN where it has none.
func (s *Store) RecordReview(ctx context.Context, r kb.Review) error {
	if err := checkReview(r); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.update(ctx, "record review", func(ctx context.Context, tx *txn) error { return s.insertReview(ctx, tx, r) })
}

func checkReview(r kb.Review) error {
	switch r.Kind {
	case kb.ReviewGate, kb.ReviewConflict, kb.ReviewFeedback:
	default:
		return kb.Invalid("kind", "%q is none of GATE, CONFLICT, FEEDBACK", r.Kind)
	}
	if len(r.ID) > maxID {
		return kb.Invalid("review_id", "has %d bytes; at most %d", len(r.ID), maxID)
	}
	return checkState("state", r.State, true)
}

func (s *Store) insertReview(ctx context.Context, tx *txn, r kb.Review) error {
	if r.ID == "" {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return err
		}
		r.ID = "review-" + hex.EncodeToString(b[:])
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = s.opt.Now()
	}
	if r.State == "" {
		r.State = kb.GapOpen
	}
	r.ID, r.Question, r.Text, r.TraceID, r.Note = clean(r.ID), clean(r.Question), clean(r.Text), clean(r.TraceID), clean(r.Note)
	var there int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM reviews WHERE id = ?`, r.ID).Scan(&there)
	switch {
	case err == nil:
		return fmt.Errorf("review %q exists already: %w", r.ID, kb.ErrConflict)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO reviews (id, kind, question, text, trace_id, documents, created_at, state, note) VALUES (?,?,?,?,?,?,?,?,?)`,
		r.ID, r.Kind, r.Question, r.Text, r.TraceID, jsonList(r.Documents), r.CreatedAt.UnixMicro(), r.State, r.Note)
	return err
}

// Reviews lists the reviews, the newest first.
func (s *Store) Reviews(ctx context.Context, pageToken string, pageSize int) ([]kb.Review, string, error) {
	size, err := pageLimit(pageSize)
	if err != nil {
		return nil, "", err
	}
	before := int64(1) << 62
	if pageToken != "" {
		if err := readToken(pageToken, &before); err != nil {
			return nil, "", err
		}
	}
	var reviews []kb.Review
	var seqs []int64
	err = s.view(ctx, "reviews", func(ctx context.Context, tx *txn) error {
		rows, err := tx.QueryContext(ctx, `SELECT seq, id, kind, question, text, trace_id, documents, created_at, state, note FROM reviews
			WHERE seq < ? ORDER BY seq DESC LIMIT ?`, before, size+1)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
		for rows.Next() {
			var r kb.Review
			var seq, created int64
			var docs string
			if err := rows.Scan(&seq, &r.ID, &r.Kind, &r.Question, &r.Text, &r.TraceID, &docs, &created, &r.State, &r.Note); err != nil {
				return err
			}
			r.CreatedAt = moment(created)
			if r.Documents, err = readList(docs); err != nil {
				return err
			}
			reviews = append(reviews, r)
			seqs = append(seqs, seq)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(reviews) > size {
		reviews = reviews[:size]
		next = token(seqs[size-1])
	}
	return reviews, next, nil
}

// RecordFeedback keeps a user's judgement. An unhelpful reply becomes a review of
// the kind FEEDBACK as well.
func (s *Store) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	if f.TraceID == "" {
		return kb.Invalid("trace_id", "is empty; give the trace_id of the reply")
	}
	if len(f.TraceID) > maxID {
		return kb.Invalid("trace_id", "has %d bytes; at most %d", len(f.TraceID), maxID)
	}
	f.TraceID, f.Comment = clean(f.TraceID), clean(f.Comment)
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.update(ctx, "record feedback", func(ctx context.Context, tx *txn) error {
		now := s.opt.Now()
		if _, err := tx.ExecContext(ctx, `INSERT INTO feedback (trace_id, helpful, comment, created_at) VALUES (?,?,?,?)`, f.TraceID, f.Helpful, f.Comment, now.UnixMicro()); err != nil {
			return err
		}
		if f.Helpful {
			return nil
		}
		return s.insertReview(ctx, tx, kb.Review{Kind: kb.ReviewFeedback, Question: f.Question, Text: f.Comment, TraceID: f.TraceID, Documents: union(nil, f.Documents), CreatedAt: now})
	})
}

// FeedbackOf returns the judgements of a reply, oldest first.
func (s *Store) FeedbackOf(ctx context.Context, traceID string) ([]kb.Feedback, error) {
	var out []kb.Feedback
	err := s.view(ctx, "feedback", func(ctx context.Context, tx *txn) error {
		rows, err := tx.QueryContext(ctx, `SELECT trace_id, helpful, comment FROM feedback WHERE trace_id = ? ORDER BY id`, traceID)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
		for rows.Next() {
			var f kb.Feedback
			if err := rows.Scan(&f.TraceID, &f.Helpful, &f.Comment); err != nil {
				return err
			}
			out = append(out, f)
		}
		return rows.Err()
	})
	return out, err
}
