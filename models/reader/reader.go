// Package reader holds the weights of the bilingual transformer that package
// model/reader runs. NOTICE.md beside it says where they come from; export.py
// says in which form they are and writes them again.
package reader

import _ "embed" // the files are compiled into the binary

// Base is the word table, the positions and the lowest layers; every other file
// names the base it belongs to.
//
//go:embed base.bin
var Base string

// E5 is the upper layers of multilingual-e5-small as they are published: with Base
// it embeds texts.
//
//go:embed e5.bin
var E5 string

// Reader is the trained layers and heads. TRAINING.md says of what.
//
//go:embed reader.bin
var Reader string
