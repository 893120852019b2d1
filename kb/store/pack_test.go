package store

import (
	"bytes"
	"strings"
	"testing"
)

func TestPack(t *testing.T) {
	for name, page := range map[string][]byte{
		"none": nil, "short": []byte("page"), "repeating": []byte(strings.Repeat("轮渡 ferry 40 ", 300)),
		"begins with the mark": {packedMark, 1, 2}, "noise": noise(4000), "noise with the mark": append([]byte{packedMark}, noise(300)...),
	} {
		t.Run(name, func(t *testing.T) {
			stored := pack(page)
			got, err := unpack(stored)
			if err != nil || !bytes.Equal(got, page) {
				t.Errorf("%d bytes became %d, %v", len(page), len(got), err)
			}
			if name == "repeating" && len(stored) > len(page)/10 {
				t.Errorf("%d bytes are stored as %d", len(page), len(stored))
			}
			if len(stored) > len(page)+16 {
				t.Errorf("%d bytes grow to %d", len(page), len(stored))
			}
		})
	}
	if _, err := unpack(pack([]byte(strings.Repeat("ferry ", 100)))[:20]); err == nil {
		t.Error("a page that is cut off unpacks")
	}
}

// noise does not compress.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint32(7)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return out
}
