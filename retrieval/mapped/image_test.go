package mapped_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/retrieval/mapped"
)

// written is a small image with an array, a file and a value.
func written(t *testing.T, path string) {
	t.Helper()
	var a mapped.Array[uint32]
	defer a.Free()
	for i := range mapped.PartLen + 9 {
		a.Append(uint32(7 * i))
	}
	f, err := mapped.NewFile(t.TempDir())
	if err == nil {
		_, err = f.Append([]byte("what lies in a file"))
	}
	if err == nil {
		err = mapped.WriteImage(path, func(w *mapped.Writer) error {
			w.JSON(map[string]int{"size": a.Len()})
			a.Store(w)
			w.Stream(f.Len(), f.Copy)
			w.Section()
			w.Section([]byte("the "), nil, []byte("end"))
			return nil
		})
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestImage(t *testing.T) {
	dir := t.TempDir()
	path, again := filepath.Join(dir, "image"), filepath.Join(dir, "again")
	written(t, path)
	m, err := mapped.OpenImage(path)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Reader()
	var head map[string]int
	var a mapped.Array[uint32]
	f, err := mapped.NewFile(t.TempDir())
	if err = errors.Join(err, r.JSON(&head), a.Load(r, head["size"]), f.Load(r)); err != nil {
		t.Fatal(err)
	}
	// Both go on from where they were.
	for i := mapped.PartLen + 9; i < 3*mapped.PartLen; i++ {
		a.Append(uint32(7 * i))
	}
	*a.At(5) = 1
	at, err := f.Append([]byte(" and behind it"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Len() {
		if want := uint32(7 * i); i != 5 && *a.At(i) != want {
			t.Fatalf("%d at %d, want %d", *a.At(i), i, want)
		}
	}
	if got := string(f.Bytes(0, 19)) + string(f.Bytes(at, 14)); got != "what lies in a file and behind it" {
		t.Errorf("file: %q", got)
	}
	empty, err := r.Section()
	end, err2 := r.Section()
	if err != nil || err2 != nil || len(empty) != 0 || string(end) != "the end" {
		t.Errorf("last sections: %q, %v, %q, %v", empty, err, end, err2)
	}
	if _, err := r.Section(); !errors.Is(err, mapped.ErrImage) {
		t.Errorf("a section beyond the last: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	// What was changed in memory is not in the file.
	written(t, again)
	one, err := os.ReadFile(path)
	two, err2 := os.ReadFile(again)
	if err != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("the file was written to: %v, %v", err, err2)
	}
}

func TestImageDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "image")
	written(t, path)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := mapped.OpenImage(path)
		if !errors.Is(err, mapped.ErrImage) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = m.Close()
		}
	}
	for at := 0; at < len(whole); at += 1 + at/20 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		refused("a bit flipped", flipped)
		refused("cut", whole[:at])
	}
	refused("the last byte cut", whole[:len(whole)-1])
	refused("longer", append(bytes.Clone(whole), 0))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := mapped.OpenImage(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}

// An image that cannot be finished leaves the one before it.
func TestImageBrokenOff(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "image")
	written(t, path)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	off := errors.New("broken off")
	err = mapped.WriteImage(path, func(w *mapped.Writer) error {
		w.Section(make([]byte, 100_000))
		if info, err := os.Stat(path + mapped.TempSuffix); err != nil || info.Size() < 100_000 {
			t.Errorf("it is not written beside the other: %v", err)
		}
		return off
	})
	if !errors.Is(err, off) {
		t.Errorf("%v, want %v", err, off)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the image before it is another: %v", err)
	}
	left, err := os.ReadDir(dir)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"image"}, names); err != nil || diff != "" {
		t.Errorf("left in the folder (-want +got):\n%s%v", diff, err)
	}
}
