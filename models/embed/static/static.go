// Package static holds the files of the built-in bilingual embedding: a token
// table distilled from multilingual-e5-small. NOTICE.md beside it says where the
// weights come from; ../build_static.py rebuilds them.
package static

import _ "embed" // the files are compiled into the binary

// Table is "SEMB", u32 rows, u32 dims, rows × float32 scale, rows × dims int8
// (little endian). Row 0 is the unknown token and holds zeros.
//
//go:embed table.bin
var Table string

// Vocab has one line a piece, "piece TAB log probability"; the line number from 0
// is the token id.
//
//go:embed vocab.tsv
var Vocab string

// Norm maps a code point to its replacement: "hex TAB hex hex …"; an empty
// replacement drops the code point.
//
//go:embed norm.tsv
var Norm string
