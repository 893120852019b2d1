package kb

import (
	"context"
	"time"
)

// Document is a source unit as it is put: one version of one document.
type Document struct {
	ID          string // stable; a file's slash path relative to the ingested folder
	Collection  string // "" = default
	Version     int    // from 1; set by the store
	Title       string // "" = first heading, else file name, else id
	Text        string // stored exactly as ingested; offsets count in it
	MediaType   string // text/markdown, text/plain; "" = by the path's ending, else text/markdown
	Source      string // kind of source, such as handbook, forum
	Domain      string
	Authority   *float64 // 0..10
	PublishedAt time.Time
	ValidFrom   time.Time
	ValidTo     time.Time // last valid day, inclusive
	Supersedes  []string  // id@version, or id for all its versions
	Readers     []string  // groups that may read it; empty = ["*"]
	IngestedAt  time.Time // set by the store

	// Origin is where it was ingested from, ROOT//PATH: the folder's absolute slash
	// path and the file's path in it. "" = put by other means. It is no field of the
	// version: another origin alone makes no new one.
	Origin string

	// SupersededBy is set by the store: the id@version that replaced this one.
	SupersededBy string
}

// Chunk is an indexed piece of a document version.
type Chunk struct {
	Ordinal     int // from 0 within the version
	Text        string
	Start, End  int // into Document.Text, code points
	Kind        string
	HeadingPath []string
	// Lead repeats what the text depends on where a list or table had to be cut: the
	// lead-in or the header rows. It stands earlier in the document and is no part of Text.
	Lead    string
	Page    []byte // the facts read from it, encoded by fact.Page; nil = not read
	Vectors []byte // window embeddings, int8 or float, as the embedding encodes them; nil = not embedded
}

// DocumentChange is one entry of the change feed.
type DocumentChange struct {
	Seq      int64 // strictly increasing, gaps allowed
	Deleted  bool  // the document with all its versions is gone; Document holds ID and Collection only
	Document Document
	Chunks   []Chunk
}

// GapKind says why a question stayed open.
type GapKind string

// The three kinds of gaps.
const (
	GapMissing  GapKind = "MISSING"
	GapConflict GapKind = "CONFLICT"
	GapStale    GapKind = "STALE"
)

// GapState is what was done about a gap.
type GapState string

// The three states of a gap.
const (
	GapOpen      GapState = "OPEN"
	GapResolved  GapState = "RESOLVED"
	GapDismissed GapState = "DISMISSED"
)

// Gap is something users asked and the documents could not answer. Questions with
// the same or nearly the same wording share one gap.
type Gap struct {
	ID        string
	Kind      GapKind
	Text      string // what is missing, in the question's language
	Class     Class
	Slots     []string
	Count     int
	FirstSeen time.Time
	LastSeen  time.Time
	Questions []string // distinct wordings, newest first, at most 20
	Documents []string // documents concerned: the sides of a conflict, the stale sources
	State     GapState

	Note      string    // of the one who set the state last; kept when the gap opens again
	DecidedBy string    // who that was; "" = nobody yet
	DecidedAt time.Time // and when
	// AnsweredAt is when the question was first answered after it had last stayed open: the
	// documents may hold it by now. Zero = not since.
	AnsweredAt time.Time
}

// GapDecision is what a person did about a gap.
type GapDecision struct {
	State GapState // RESOLVED, DISMISSED, or OPEN again
	By    string   // who
	Note  string
}

// GapAnswer says that a question was answered that may have stayed open before.
type GapAnswer struct {
	Question string
	Kinds    []GapKind // of the gaps that the answer speaks for
	At       time.Time // zero = now
}

// GapQuery selects gaps. Zero fields select all. Since and Until are days.
type GapQuery struct {
	Kind         GapKind
	Since, Until time.Time
	State        GapState
	PageToken    string
	PageSize     int // 0 = 100, at most 1000
}

// GapRecord is what one reply adds to the ledger.
type GapRecord struct {
	Kind      GapKind
	Text      string
	Class     Class
	Slots     []string
	Question  string
	Documents []string
	At        time.Time
	TraceID   string
}

// ReviewKind says why a case is for a person.
type ReviewKind string

// The three kinds of reviews.
const (
	ReviewGate     ReviewKind = "GATE"     // too few statements passed
	ReviewConflict ReviewKind = "CONFLICT" // a conflict that stands, or weighs too much
	ReviewFeedback ReviewKind = "FEEDBACK" // a user found a reply unhelpful
)

// Review is a case for a person.
type Review struct {
	ID        string
	Kind      ReviewKind
	Question  string
	Text      string
	TraceID   string
	Documents []string
	CreatedAt time.Time
	State     GapState
	Note      string
}

// Feedback is a user's judgement of a reply.
type Feedback struct {
	TraceID string
	Helpful bool
	Comment string
	// Question and Documents are those of the reply, where they are known.
	Question  string
	Documents []string
}

// IngestReport sums up what a Put or a folder did.
type IngestReport struct {
	Documents int
	Versions  int // new versions written; unchanged documents add none
	Chunks    int
	Facts     int
	Skipped   []Skipped
	Warnings  []Warning // of what was taken all the same
	Seconds   float64
}

// Warning is something in an input that is probably not what its writer meant.
type Warning struct {
	Path string // of the first input that has it
	Text string
}

// Skipped is an input that was left out.
type Skipped struct {
	Path   string
	Reason string
}

// Knowledge is the store of documents, gaps and reviews: the truth from which the
// indexes are derived. The embedded form and the remote form pass one suite.
//
// Put acknowledges only what survives kill -9. Documents are chunked, read and
// embedded by the implementation. An unchanged document (same content and fields)
// is not a new version. All documents of a call are checked before any is written;
// then each is written whole or not at all. Errors: ErrInvalid, ErrNotFound, ErrUnavailable, or the
// context's.
type Knowledge interface {
	Put(ctx context.Context, docs []Document) (IngestReport, error)
	// Document returns one version, or the newest for version 0.
	Document(ctx context.Context, id string, version int) (Document, error)
	// Documents lists newest versions by id, without their texts; an empty next token
	// ends the list. A page size of 0 is 100; above 1000 it is 1000.
	Documents(ctx context.Context, pageToken string, pageSize int) (docs []Document, next string, err error)
	// Delete removes a document with all its versions; ErrNotFound if there is none.
	Delete(ctx context.Context, id string) error

	// Changes returns changes with Seq > after in order, at most limit (0 = 100);
	// fewer where they are large, none only when there are no more. The same
	// document version appears once; a consumer that starts at 0 sees all that exists.
	Changes(ctx context.Context, after int64, limit int) ([]DocumentChange, error)

	RecordGaps(ctx context.Context, gaps []GapRecord) error
	// Gaps lists the most frequent gaps first, then the last seen. A period selects
	// those met on one of its days (UTC).
	Gaps(ctx context.Context, q GapQuery) (gaps []Gap, next string, err error)
	// ResolveGap sets the state of a gap and says who did; ErrNotFound if there is none. A
	// resolved gap that is met again is open again, a dismissed one is not.
	ResolveGap(ctx context.Context, id string, d GapDecision) error
	// RecordAnswers notes on open gaps that their question was answered. An answer to a
	// question that no gap has is no error.
	RecordAnswers(ctx context.Context, answers []GapAnswer) error
	// RecordReview gives the review an id, a time and the state OPEN where it has
	// none; ErrConflict if the id exists.
	RecordReview(ctx context.Context, r Review) error
	// Reviews lists the newest first.
	Reviews(ctx context.Context, pageToken string, pageSize int) (reviews []Review, next string, err error)
	// ResolveReview sets state and note.
	ResolveReview(ctx context.Context, id string, state GapState, note string) error
	// RecordFeedback keeps a judgement; an unhelpful one becomes a review of the kind
	// FEEDBACK as well. The trace id must be given; whether it exists is not checked.
	RecordFeedback(ctx context.Context, f Feedback) error
}
