package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unsafe"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/mapped"
)

// A checkpoint is what an opening makes of the log, up to a place in it: the catalog, the
// vectors, the graph and the counted terms, as an image that the next opening maps and
// goes on from. It says by its key and by the length and the checksum of that part of the
// log what it stands for. One that is missing, damaged, of another release or of another
// log is removed, and the whole log is replayed: the log is the truth.
const checkpointName = "checkpoint"

// checkpointVersion changes with every change of what a checkpoint holds.
const checkpointVersion = 2

// checkpointHead is its first section.
type checkpointHead struct {
	Version       int
	Key           string
	Log           int64  // bytes of the log
	Sum           uint32 // CRC-32C of them
	Seq           int64
	Records, Dead int
}

// checkpointKey names what the state depends on besides the log.
func (x *Index) checkpointKey() string {
	return fmt.Sprintf("%s, facts %v, trail %v", x.key, x.opt.Facts == nil, x.serves())
}

// Bounds of what is replayed, in bytes of the log: replayAlways where Options.Replay says
// nothing, which is about 0.1 s. While the index works, a checkpoint is written when
// busyTimes as much or a busyShare of what the last one stands for has come, and at its end
// when an endShare has: writing one takes as long as writing the folder anew.
const (
	replayAlways = 1 << 20
	busyTimes    = 16
	busyShare    = 8
	endShare     = 128
)

// keep begins to write a checkpoint in the background if what came since the last one is
// much and none is being written. The caller holds x.writing or is alone; changes and
// searches go on. A failure is no more than a slower opening.
func (x *Index) keep() {
	if !x.due(false) || !x.keeping.CompareAndSwap(false, true) {
		return
	}
	f := x.freeze()
	x.keeps.Go(func() {
		defer x.keeping.Store(false)
		x.save(f)
	})
}

// keepAtEnd waits for the checkpoint that is being written, and writes one more if much has
// come since. The caller holds x.writing.
func (x *Index) keepAtEnd() {
	x.keeps.Wait()
	if x.due(true) {
		x.save(x.freeze())
	}
}

// due says whether a checkpoint is worth writing.
func (x *Index) due(ending bool) bool {
	if x.opt.Replay < 0 || x.torn {
		return false
	}
	least := x.opt.Replay
	if least == 0 {
		least = replayAlways
	}
	if ending {
		least = max(least, x.marked/endShare)
	} else {
		least = max(busyTimes*least, x.marked/busyShare)
	}
	return x.file.size-x.marked >= least
}

// frozen is all that a checkpoint holds, as it was at one place in the log.
type frozen struct {
	head   checkpointHead
	cat    *catalog
	matrix *dense.Frozen
	facts  *graph.Frozen
	stats  []byte
}

// freeze copies what changes in its place; vectors and facts, to which is only added, are
// copied when they are written. The caller holds x.writing.
func (x *Index) freeze() *frozen {
	x.marked = x.file.size // should it fail, too: the next try is as far away
	return &frozen{
		head: checkpointHead{
			Version: checkpointVersion, Key: x.checkpointKey(), Log: x.file.size, Sum: x.file.sum, Seq: x.seq, Records: x.records, Dead: x.dead,
		},
		cat: x.cat.clone(), matrix: x.matrix.Freeze(), facts: x.facts.Freeze(), stats: x.stats.Append(nil),
	}
}

// save writes a checkpoint.
func (x *Index) save(f *frozen) {
	if err := x.checkpoint(f); err != nil {
		x.log.Warn("no checkpoint: the next start replays more of the index log", "error", err)
	}
}

// checkpoint writes what was frozen, and releases it.
func (x *Index) checkpoint(f *frozen) error {
	defer func() {
		f.cat.free()
		f.matrix.Release()
		f.facts.Release()
	}()
	if err := x.file.sync(); err != nil {
		return err
	}
	return mapped.WriteImage(filepath.Join(x.dir, checkpointName), func(w *mapped.Writer) error {
		w.JSON(f.head)
		f.cat.store(w)
		f.matrix.Store(w)
		f.facts.Store(w)
		w.Section(f.stats)
		return nil
	})
}

// restore goes on from the checkpoint, if it is one of this log. Either all of it is taken
// over or nothing; the error is about the log.
func (x *Index) restore() error {
	if x.opt.Replay < 0 {
		return nil
	}
	path := filepath.Join(x.dir, checkpointName)
	if err := os.Remove(path + mapped.TempSuffix); err == nil {
		x.log.Info("an unfinished checkpoint was removed")
	}
	image, err := mapped.OpenImage(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	useless := func(why error) {
		x.log.Info("the index log is replayed from its start: its checkpoint is of no use", "reason", why)
		if err := os.Remove(path); err != nil {
			x.log.Warn("a checkpoint of no use is not removed", "error", err)
		}
	}
	if err != nil {
		useless(err)
		return nil
	}
	r := image.Reader()
	var head checkpointHead
	if err := r.JSON(&head); err != nil || head.Version != checkpointVersion || head.Key != x.checkpointKey() {
		useless(errors.Join(errors.New("it is of another form or model"), err))
		return image.Close()
	}
	cat, matrix, facts, stats, err := x.state(r)
	if err != nil {
		useless(err)
		return image.Close()
	}
	same, err := x.file.pass(head.Log, head.Sum)
	if err == nil && same {
		err = errors.Join(x.matrix.Close(), x.facts.Close())
		x.cat.free()
		x.image, x.cat, x.matrix, x.facts, x.stats = image, cat, matrix, facts, stats
		x.seq, x.records, x.dead, x.marked = head.Seq, head.Records, head.Dead, head.Log
		return err
	}
	if err == nil {
		useless(errors.New("the log is not what it stands for"))
	}
	cat.free()
	return errors.Join(err, matrix.Close(), facts.Close(), image.Close())
}

// state reads what a checkpoint holds.
func (x *Index) state(r *mapped.Reader) (*catalog, *dense.Matrix, *graph.Graph, *bm25.Stats, error) {
	matrix, err := dense.NewMatrix(x.opt.Model.Dims(), x.opt.Dense, x.dir)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	facts, err := graph.New(x.dir)
	if err != nil {
		return nil, nil, nil, nil, errors.Join(err, matrix.Close())
	}
	var counted []byte
	var stats *bm25.Stats
	cat, err := loadCatalog(r)
	if err == nil {
		err = matrix.Load(r)
	}
	if err == nil {
		err = facts.Load(r)
	}
	if err == nil {
		counted, err = r.Section()
	}
	if err == nil {
		stats, err = bm25.ReadStats(counted)
	}
	if err != nil {
		return nil, nil, nil, nil, errors.Join(err, matrix.Close(), facts.Close())
	}
	return cat, matrix, facts, stats, nil
}

// storedCatalog is the first of the sections of a catalog. The others are the rows, the
// numbers of their versions, all strings behind one another, their ends, and the numbers
// that the versions are made of.
type storedCatalog struct {
	Row   uintptr // bytes
	Rows  int
	Terms uint64
	Facts int
	Since int64

	Places  []storedPlace
	Commons []storedCommon
	Sights  []retrieval.Visibility
	Strings int
	// Versions is how many there are, gone ones included.
	Versions int
}

type storedPlace struct {
	Kind     string
	Headings []string
}

type storedCommon struct {
	Collection, Source, Domain, From, To string
	Authority                            *float64
	Readers                              []string
}

// clone is a copy of what is stored of the catalog, which is all that it is good for.
func (c *catalog) clone() *catalog {
	out := &catalog{
		rows: c.rows.Clone(), numberOf: c.numberOf.Clone(), terms: c.terms, facts: c.facts, since: c.since,
		places: c.places, versions: make([]*version, len(c.versions)),
	}
	room := make([]version, len(c.versions))
	for n, v := range c.versions {
		if v != nil {
			room[n] = *v
			out.versions[n] = &room[n]
		}
	}
	for _, t := range c.trail {
		if t.version != nil {
			if !c.has(t.version) || t.version.touched != t.seq {
				continue // it says nothing any more
			}
			t.version = out.versions[t.version.number]
		}
		out.trail = append(out.trail, t)
	}
	return out
}

// store writes a clone of the catalog to an image.
func (c *catalog) store(w *mapped.Writer) {
	out := storedCatalog{Row: unsafe.Sizeof(row{}), Rows: c.rows.Len(), Terms: c.terms, Facts: c.facts, Since: c.since, Versions: len(c.versions)}
	for _, p := range c.places {
		out.Places = append(out.Places, storedPlace{p.kind, p.headings})
	}
	commons, sights := map[*common]uint64{}, map[*retrieval.Visibility]uint64{}
	e := encoder{places: map[string]uint64{}}
	for _, v := range c.versions {
		if v == nil {
			e.number(0)
			continue
		}
		if _, ok := commons[v.common]; !ok {
			o := v.common
			commons[o] = uint64(len(out.Commons))
			out.Commons = append(out.Commons, storedCommon{o.collection, o.source, o.domain, kb.FormatDay(o.from), kb.FormatDay(o.to), o.authority, o.readers})
		}
		if _, ok := sights[v.vis]; !ok {
			sights[v.vis] = uint64(len(out.Sights))
			out.Sights = append(out.Sights, *v.vis)
		}
		e.number(1 + uint64(len(v.targets())))
		for _, t := range v.targets() {
			e.string(t)
		}
		e.string(v.supersededBy())
		e.string(v.id)
		e.string(v.title)
		e.string(stamp(v.published))
		for _, n := range []uint64{uint64(v.edition), uint64(v.first), uint64(v.size), commons[v.common], sights[v.vis], uint64(v.touched)} {
			e.number(n)
		}
	}
	e.number(0) // what follows is the trail
	for _, t := range c.trail {
		if t.version == nil {
			e.number(1)
			e.string(t.document)
		} else {
			e.number(2 + uint64(t.version.number))
		}
		e.number(uint64(t.seq))
	}
	e.number(0)
	out.Strings = len(e.ends)
	w.JSON(out)
	c.rows.Store(w)
	c.numberOf.Store(w)
	w.Section(e.text)
	w.Section(mapped.Bytes(e.ends))
	w.Section(e.numbers)
}

// loadCatalog reads what store wrote. Rows stay in the memory of the image, which has to
// outlive the catalog.
func loadCatalog(r *mapped.Reader) (*catalog, error) {
	var in storedCatalog
	if err := r.JSON(&in); err != nil {
		return nil, err
	}
	c := newCatalog()
	if in.Row != unsafe.Sizeof(row{}) {
		return nil, fmt.Errorf("%w: rows of %d bytes", mapped.ErrImage, in.Row)
	}
	if err := errors.Join(c.rows.Load(r, in.Rows), c.numberOf.Load(r, in.Rows)); err != nil {
		return nil, err
	}
	c.terms, c.facts, c.since = in.Terms, in.Facts, in.Since
	for _, p := range in.Places {
		c.placed(p.Kind, p.Headings)
	}
	commons, sights := make([]*common, len(in.Commons)), make([]*retrieval.Visibility, len(in.Sights))
	for i, s := range in.Commons {
		from, err := kb.ParseDay(s.From)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", mapped.ErrImage, err)
		}
		to, err := kb.ParseDay(s.To)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", mapped.ErrImage, err)
		}
		commons[i] = c.shared(&kb.Document{Collection: s.Collection, Source: s.Source, Domain: s.Domain, ValidFrom: from, ValidTo: to, Authority: s.Authority, Readers: s.Readers})
	}
	for i, s := range in.Sights {
		sights[i] = c.sight(s)
	}
	d, err := newDecoder(r, in.Strings)
	if err != nil {
		return nil, err
	}
	c.versions = make([]*version, in.Versions)
	room := make([]version, in.Versions)
	for n := range c.versions {
		flag := d.number()
		if flag == 0 {
			continue
		}
		v := &room[n]
		var targets []string
		for range min(flag-1, uint64(in.Strings)) {
			targets = append(targets, d.string())
		}
		if by := d.string(); by != "" || targets != nil {
			v.replaces = &replaces{targets: targets, by: by}
		}
		v.number, v.id, v.title = int32(n), d.string(), d.string()
		if s := d.string(); s != "" {
			if v.published, err = time.Parse(time.RFC3339Nano, s); err != nil {
				return nil, fmt.Errorf("%w: %w", mapped.ErrImage, err)
			}
		}
		v.edition, v.first, v.size = int(d.number()), int32(d.number()), int32(d.number())
		v.common, v.vis, v.touched = pick(&d, commons), pick(&d, sights), int64(d.number())
		if d.failed {
			break
		}
		c.versions[n] = v
		c.link(v)
		c.tally(v)
	}
	d.fail(d.number() != 0)
	for !d.failed {
		t, flag := touch{}, d.number()
		if flag == 0 {
			break
		}
		if flag == 1 {
			t.document = d.string()
		} else if t.version = c.numbered(flag - 2); t.version == nil {
			d.failed = true
		}
		t.seq = int64(d.number())
		c.trail = append(c.trail, t)
	}
	if d.failed {
		return nil, fmt.Errorf("%w: damaged versions", mapped.ErrImage)
	}
	return c, nil
}

// numbered is the version of a number; nil where there is none.
func (c *catalog) numbered(n uint64) *version {
	if n >= uint64(len(c.versions)) {
		return nil
	}
	return c.versions[n]
}

// encoder writes versions as varints. Each string is written once, and then by its place.
type encoder struct {
	places  map[string]uint64
	text    []byte
	ends    []uint64
	numbers []byte
}

func (e *encoder) number(n uint64) { e.numbers = binary.AppendUvarint(e.numbers, n) }

func (e *encoder) string(s string) {
	n, ok := e.places[s]
	if !ok {
		n = uint64(len(e.ends))
		e.places[s] = n
		e.text = append(e.text, s...)
		e.ends = append(e.ends, uint64(len(e.text)))
	}
	e.number(n)
}

// decoder reads what encoder wrote. After damage it gives zero values, and failed is set.
type decoder struct {
	strings []string
	numbers []byte
	failed  bool
}

func newDecoder(r *mapped.Reader, count int) (decoder, error) {
	text, err := r.Section()
	if err != nil {
		return decoder{}, err
	}
	ends, err := mapped.Values[uint64](r)
	if err != nil {
		return decoder{}, err
	}
	numbers, err := r.Section()
	if err != nil {
		return decoder{}, err
	}
	if len(ends) != count || !slices.IsSorted(ends) || count > 0 && ends[count-1] != uint64(len(text)) {
		return decoder{}, fmt.Errorf("%w: damaged strings", mapped.ErrImage)
	}
	all := string(text) // of the heap: passages hold parts of it
	out := decoder{strings: make([]string, count), numbers: numbers}
	from := uint64(0)
	for i, end := range ends {
		out.strings[i] = all[from:end]
		from = end
	}
	return out, nil
}

func (d *decoder) fail(yes bool) { d.failed = d.failed || yes }

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.numbers)
	if n <= 0 {
		d.failed, d.numbers = true, nil
		return 0
	}
	d.numbers = d.numbers[n:]
	return v
}

func (d *decoder) string() string { return pick(d, d.strings) }

// pick reads the place of one of a list.
func pick[T any](d *decoder, list []T) T {
	n := d.number()
	if n >= uint64(len(list)) {
		d.failed = true
		var none T
		return none
	}
	return list[n]
}
