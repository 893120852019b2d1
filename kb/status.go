package kb

// Status is what a knowledge base holds, and how far its passages are embedded.
type Status struct {
	Documents int   `json:"documents"`
	Versions  int   `json:"versions"`
	Passages  int   `json:"passages"`
	Facts     int   `json:"facts"`
	Gaps      int   `json:"gaps"`
	Reviews   int   `json:"reviews"`
	Bytes     int64 `json:"bytes"` // of the store

	Model    string `json:"model"`    // embedding that is configured
	Embedded int    `json:"embedded"` // passages that it has embedded
	// Serving is the embedding that questions are asked of: another than Model until that
	// has all passages of a collection; of several collections that of one that is behind.
	Serving string `json:"serving"`
	Failure string `json:"failure,omitempty"` // why Model embeds nothing at present

	Collections []CollectionStatus `json:"collections,omitempty"` // by name
}

// CollectionStatus says how far the passages of a collection are embedded: it changes
// over to the configured embedding when all are.
type CollectionStatus struct {
	Collection string `json:"collection"`
	Serving    string `json:"serving"`
	Embedded   int    `json:"embedded"`
	Passages   int    `json:"passages"`
}
