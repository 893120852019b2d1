package mapped_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"suffice.dev/suffice/retrieval/mapped"
)

func TestArray(t *testing.T) {
	var a mapped.Array[uint32]
	defer a.Free()
	for i := range 3*mapped.PartLen + 7 {
		a.Append(uint32(i))
	}
	for i := range a.Len() {
		if *a.At(i) != uint32(i) {
			t.Fatalf("%d at %d", *a.At(i), i)
		}
	}
	// What does not fit in a part begins in the next, zeroed.
	at := a.Grow(mapped.PartLen)
	run := a.Run(at, mapped.PartLen)
	for i, v := range run {
		if v != 0 {
			t.Fatalf("%d in new memory at %d", v, i)
		}
	}
	run[5] = 9
	if *a.At(at + 5) != 9 {
		t.Error("Run and At are other memory")
	}
	a.Free()
	if a.Len() != 0 {
		t.Errorf("%d values after Free", a.Len())
	}
	a.Append(3)
	if *a.At(0) != 3 {
		t.Error("nothing can be added after Free")
	}
}

func TestFile(t *testing.T) {
	for name, dir := range map[string]string{"heap": "", "folder": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			f, err := mapped.NewFile(dir)
			if err != nil {
				t.Fatal(err)
			}
			type piece struct {
				at   int64
				data []byte
			}
			var pieces []piece
			for i := range 40 { // beyond the first view
				data := bytes.Repeat(fmt.Append(nil, i), 300_000)
				at, err := f.Append(data)
				if err != nil {
					t.Fatal(err)
				}
				pieces = append(pieces, piece{at, data})
			}
			for i, p := range pieces {
				if !bytes.Equal(f.Bytes(p.at, len(p.data)), p.data) {
					t.Fatalf("piece %d is other bytes", i)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if dir != "" {
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left in the folder: %v, %v", left, err)
				}
			}
		})
	}
	if _, err := mapped.NewFile("/none/such"); err == nil {
		t.Error("a folder that is not there takes a file")
	}
}
