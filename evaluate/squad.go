package evaluate

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoData says that a public data set is not there; tests skip on it.
var ErrNoData = errors.New("data set not found")

// Paragraph is a context with its questions.
type Paragraph struct {
	ID        string
	Title     string
	Text      string
	Questions []LabelledQuestion
}

// LabelledQuestion is a question with what the paragraph answers.
type LabelledQuestion struct {
	ID         string
	Text       string
	Answer     string   // first annotated answer; "" if none
	Answers    []string // all of them: where several people marked one, each is right
	Start      int      // code points into the paragraph; -1 unknown
	Impossible bool     // the paragraph looks like it answers, and does not
}

type squadFile struct {
	Data []struct {
		Title      string `json:"title"`
		Paragraphs []struct {
			ID      string `json:"id"`
			Context string `json:"context"`
			QAs     []struct {
				ID         string `json:"id"`
				Question   string `json:"question"`
				Impossible bool   `json:"is_impossible"`
				Answers    []struct {
					Text  string `json:"text"`
					Start int    `json:"answer_start"`
				} `json:"answers"`
			} `json:"qas"`
		} `json:"paragraphs"`
	} `json:"data"`
}

// Shared is the folder of plans and public data: SUFFICE_SHARED, default ../shared
// beside the repository root given.
func Shared(root string) string {
	if dir := os.Getenv("SUFFICE_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join(root, "..", "shared")
}

// Squad reads a file in the form of SQuAD: squad2, cmrc2018 (JSON) and cmrc2018-train
// (JSON inside a zip). name is the data set's folder below shared/data.
func Squad(shared, name string) ([]Paragraph, error) {
	dir := filepath.Join(shared, "data", name)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", dir, ErrNoData)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	var out []Paragraph
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch filepath.Ext(path) {
		case ".json":
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			p, err := squad(f)
			_ = f.Close() // read only
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
			out = append(out, p...)
		case ".zip":
			p, err := squadZip(path)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
			out = append(out, p...)
		}
	}
	return out, nil
}

func squadZip(path string) ([]Paragraph, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }()
	var out []Paragraph
	for _, f := range z.File {
		if filepath.Ext(f.Name) != ".json" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		p, err := squad(r)
		_ = r.Close()
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
	}
	return out, nil
}

func squad(r io.Reader) ([]Paragraph, error) {
	var file squadFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, err
	}
	var out []Paragraph
	for i, d := range file.Data {
		for j, p := range d.Paragraphs {
			id := p.ID
			if id == "" {
				id = fmt.Sprintf("%s-%d-%d", strings.ReplaceAll(d.Title, " ", "_"), i, j)
			}
			para := Paragraph{ID: id, Title: d.Title, Text: p.Context}
			for _, q := range p.QAs {
				lq := LabelledQuestion{ID: q.ID, Text: q.Question, Impossible: q.Impossible, Start: -1}
				if len(q.Answers) > 0 {
					lq.Answer, lq.Start = q.Answers[0].Text, q.Answers[0].Start
					for _, a := range q.Answers {
						if !slices.Contains(lq.Answers, a.Text) {
							lq.Answers = append(lq.Answers, a.Text)
						}
					}
				}
				para.Questions = append(para.Questions, lq)
			}
			out = append(out, para)
		}
	}
	return out, nil
}
