package evaluate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
)

// hotpotSet is questions whose answer takes two articles of an encyclopedia.
func hotpotSet(shared string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "hotpotqa"}
	dir := filepath.Join(shared, "data", "multihop-musique-hotpot")
	var corpus map[string][]string
	if err := readJSON(filepath.Join(dir, "hotpotqa_train_corpus.json"), &corpus); err != nil {
		return set, err
	}
	for _, title := range slices.Sorted(maps.Keys(corpus)) {
		set.Documents = append(set.Documents, kb.Document{ID: "hotpot/" + title, Title: title, Text: strings.Join(corpus[title], ""), MediaType: "text/plain"})
	}
	var rows []struct {
		Question string  `json:"question"`
		Facts    [][]any `json:"supporting_facts"`
	}
	if err := readJSON(filepath.Join(dir, "hotpotqa_train.json"), &rows); err != nil {
		return set, err
	}
	for _, r := range rows {
		q := RetrievalQuestion{Text: r.Question}
		for _, f := range r.Facts {
			if title, ok := f[0].(string); ok && corpus[title] != nil && !slices.Contains(q.Relevant, "hotpot/"+title) {
				q.Relevant = append(q.Relevant, "hotpot/"+title)
			}
		}
		if len(q.Relevant) > 0 {
			set.Questions = append(set.Questions, q)
		}
	}
	return set, nil
}

// gitlabSet is questions over the pages of a staff handbook, those of one text and of
// several. Questions that need a picture, a date or an earlier turn are left out.
func gitlabSet(shared string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "gitlab-handbook"}
	docs, err := folderDocuments(shared, "gitlab-handbook")
	if err != nil {
		return set, err
	}
	const root = "gitlab-handbook/content/handbook/"
	known := map[string]bool{}
	for _, d := range docs {
		known[d.ID] = true
	}
	set.Documents = docs
	for _, kind := range []string{"single_text", "multi-hop_reasoning", "negation_exclusion"} {
		data, err := os.ReadFile(filepath.Join(shared, "data", "gitlab-handbook", "datasets", kind+".jsonl"))
		if err != nil {
			return set, err
		}
		in := bufio.NewScanner(bytes.NewReader(data))
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var row struct {
				Question  string                `json:"question"`
				Retrieval []map[string][]string `json:"retrieval"`
			}
			if err := json.Unmarshal(in.Bytes(), &row); err != nil {
				return set, fmt.Errorf("read %s: %w", kind, err)
			}
			q := RetrievalQuestion{Text: row.Question}
			for _, r := range row.Retrieval {
				for name := range r {
					if id := root + name; known[id] && !slices.Contains(q.Relevant, id) {
						q.Relevant = append(q.Relevant, id)
					}
				}
			}
			slices.Sort(q.Relevant)
			if len(q.Relevant) > 0 {
				set.Questions = append(set.Questions, q)
			}
		}
		if err := in.Err(); err != nil {
			return set, fmt.Errorf("read %s: %w", kind, err)
		}
	}
	return set, nil
}

// ramdocsSet is the questions of ramdocs with one correct answer, over the documents of all of
// them: those with the right answer are relevant, and others state a wrong one.
func ramdocsSet(shared string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "ramdocs"}
	groups, err := RAMGroups(shared)
	if err != nil {
		return set, err
	}
	ids := map[string]string{} // text to document
	for _, g := range groups {
		q := RetrievalQuestion{Text: g.Question}
		for _, d := range g.Documents {
			id, ok := ids[d.Text]
			if !ok {
				id = fmt.Sprintf("ramdocs/%d", len(ids))
				ids[d.Text] = id
				set.Documents = append(set.Documents, kb.Document{ID: id, Text: strings.ReplaceAll(d.Text, "\x00", " "), MediaType: "text/plain"}) // some hold NUL bytes, which are no text
			}
			if d.Type == "correct" && !slices.Contains(q.Relevant, id) {
				q.Relevant = append(q.Relevant, id)
			}
		}
		if len(q.Relevant) > 0 {
			set.Questions = append(set.Questions, q)
		}
	}
	return set, nil
}

// handbookSet is our own questions over the example handbook: file name below
// testdata/retrieval.
func handbookSet(testdata, name string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "handbook-" + name, Folder: filepath.Join(testdata, "handbook")}
	data, err := os.ReadFile(filepath.Join(testdata, "retrieval", name+".yaml"))
	if err != nil {
		return set, fmt.Errorf("read questions: %w", err)
	}
	var questions map[string][]string
	if err := yaml.Unmarshal(data, &questions); err != nil {
		return set, fmt.Errorf("read %s questions: %w", name, err)
	}
	for _, id := range slices.Sorted(maps.Keys(questions)) {
		for _, q := range questions[id] {
			set.Questions = append(set.Questions, RetrievalQuestion{Text: q, Relevant: []string{id}})
		}
	}
	return set, nil
}

// otherWordsSet is our own short documents with questions whose content words do not
// occur in them, among the documents of the example handbook.
func otherWordsSet(testdata string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "other-words", Folder: filepath.Join(testdata, "handbook")}
	data, err := os.ReadFile(filepath.Join(testdata, "retrieval", "other-words.yaml"))
	if err != nil {
		return set, fmt.Errorf("read questions: %w", err)
	}
	var rows []struct {
		ID, Text  string
		Questions []string
	}
	if err := yaml.Unmarshal(data, &rows); err != nil {
		return set, fmt.Errorf("read other-words questions: %w", err)
	}
	for _, r := range rows {
		set.Documents = append(set.Documents, kb.Document{ID: "other/" + r.ID, Title: r.ID, Text: r.Text, MediaType: "text/plain"})
		for _, q := range r.Questions {
			set.Questions = append(set.Questions, RetrievalQuestion{Text: q, Relevant: []string{"other/" + r.ID}})
		}
	}
	return set, nil
}

// writtenSet is the written passages of a folder, many fields in one index, with the
// questions that each of them answers.
func writtenSet(dir string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "written"}
	passages, err := LoadWritten(dir)
	if err != nil {
		return set, err
	}
	for _, p := range passages {
		id := "written/" + p.ID
		set.Documents = append(set.Documents, kb.Document{ID: id, Title: p.Title, Text: p.Text, MediaType: "text/markdown"})
		for _, q := range p.Questions {
			if q.Sufficient {
				set.Questions = append(set.Questions, RetrievalQuestion{Text: q.Question, Relevant: []string{id}})
			}
		}
	}
	return set, nil
}

func readJSON(path string, into any) error {
	data, err := readData(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
