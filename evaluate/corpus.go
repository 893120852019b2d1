package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"suffice.dev/suffice/kb"
)

// CorpusSets are the public sets that a corpus is made of by default: paragraphs,
// laws, manuals and handbooks in both languages, about 10,000 chunks together.
var CorpusSets = []string{"cmrc2018", "cmrc2018-train", "squad2", "selqa", "laws-zh", "prometheus-docs", "weknora-docs-zh", "gitlab-handbook", "github-site-policy"}

// Corpus reads the documents of a public set below shared/data: each paragraph of a
// question set, each article section of selqa, each Markdown or text file of a
// folder. Equal texts of a question set come once. ErrNoData where the set is not there.
func Corpus(shared, set string) ([]kb.Document, error) {
	switch set {
	case "cmrc2018", "cmrc2018-train", "squad2", "lecoqa-stard":
		s, err := LoadRetrievalSet(shared, set)
		return s.Documents, err
	case "selqa":
		return selqaSections(shared)
	}
	return folderDocuments(shared, set)
}

func selqaSections(shared string) ([]kb.Document, error) {
	files, err := filepath.Glob(filepath.Join(shared, "data", "selqa", "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read selqa: %w", ErrNoData)
	}
	slices.Sort(files)
	var out []kb.Document
	seen := map[string]bool{}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var rows []struct {
			Article, Section string
			Candidates       []string
		}
		if err := json.Unmarshal(data, &rows); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		for _, r := range rows {
			body := strings.Join(r.Candidates, " ")
			if seen[body] || strings.TrimSpace(body) == "" {
				continue
			}
			seen[body] = true
			out = append(out, kb.Document{ID: fmt.Sprintf("selqa/%d", len(out)), Title: r.Article + ": " + r.Section, Text: body, MediaType: "text/plain"})
		}
	}
	return out, nil
}

func folderDocuments(shared, set string) ([]kb.Document, error) {
	root := filepath.Join(shared, "data", set)
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", root, ErrNoData)
	}
	var out []kb.Document
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SOURCE.txt" {
			return err
		}
		media := map[string]string{".md": "text/markdown", ".txt": "text/plain"}[filepath.Ext(path)]
		if media == "" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(filepath.Dir(root), path)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(data)) != "" {
			out = append(out, kb.Document{ID: filepath.ToSlash(rel), Text: string(data), MediaType: media})
		}
		return nil
	})
	return out, err
}

// WriteCorpus writes documents as JSON Lines, the form that ingestion reads.
func WriteCorpus(w io.Writer, docs []kb.Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, d := range docs {
		line := struct {
			ID        string `json:"document_id"`
			Title     string `json:"title,omitempty"`
			Text      string `json:"text"`
			MediaType string `json:"media_type,omitempty"`
		}{d.ID, d.Title, d.Text, d.MediaType}
		if err := enc.Encode(line); err != nil {
			return fmt.Errorf("write %s: %w", d.ID, err)
		}
	}
	return nil
}
