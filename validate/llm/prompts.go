package llm

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/template"

	"suffice.dev/suffice/kb"
)

//go:embed prompts
var builtIn embed.FS

// prompts are the templates of the four tasks in both languages.
type prompts struct {
	byName  map[string]*template.Template // task.language
	version string                        // of the set, with a hash of what is in use
}

// promptFiles are the files of a set. A folder may replace any of them; it must then
// have a VERSION of its own.
var promptFiles = []string{"piece.tmpl", "state.zh.tmpl", "state.en.tmpl", "decide.zh.tmpl", "decide.en.tmpl", "choose.zh.tmpl", "choose.en.tmpl", "write.zh.tmpl", "write.en.tmpl"}

func loadPrompts(dir string) (*prompts, error) {
	own, err := fs.Sub(builtIn, "prompts")
	if err != nil {
		return nil, fmt.Errorf("built-in prompts: %w", err)
	}
	var over fs.FS
	version, err := fs.ReadFile(own, "VERSION")
	if err != nil {
		return nil, fmt.Errorf("built-in prompts: %w", err)
	}
	if dir != "" {
		over = os.DirFS(dir)
		if version, err = fs.ReadFile(over, "VERSION"); err != nil {
			return nil, kb.Invalid("llm.prompts", "%s has no file VERSION that names its version: %v", dir, err)
		}
		if err := onlyKnown(over, dir); err != nil {
			return nil, err
		}
	}
	sum := sha256.New()
	texts := map[string]string{}
	for _, name := range promptFiles {
		data, err := fs.ReadFile(own, name)
		if over != nil {
			if replaced, e := fs.ReadFile(over, name); e == nil {
				data, err = replaced, nil
			} else if !errors.Is(e, fs.ErrNotExist) {
				return nil, fmt.Errorf("llm.prompts: %w", e)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("built-in prompts: %w", err)
		}
		texts[name] = string(data)
		sum.Write(data)
	}
	out := &prompts{byName: map[string]*template.Template{}, version: strings.TrimSpace(string(version)) + "-" + hex.EncodeToString(sum.Sum(nil)[:4])}
	for _, name := range promptFiles[1:] {
		t := template.New(name).Funcs(template.FuncMap{"fence": fence}).Option("missingkey=error")
		for _, part := range []string{texts["piece.tmpl"], texts[name]} {
			if t, err = t.Parse(part); err != nil {
				return nil, fmt.Errorf("prompt %s: %w", name, err)
			}
		}
		for _, part := range []string{"system", "user"} {
			if t.Lookup(part) == nil {
				return nil, kb.Invalid("llm.prompts", "%s defines no %q", name, part)
			}
		}
		out.byName[strings.TrimSuffix(name, ".tmpl")] = t
	}
	return out, nil
}

// onlyKnown refuses files that would be read by nobody.
func onlyKnown(over fs.FS, dir string) error {
	entries, err := fs.ReadDir(over, ".")
	if err != nil {
		return fmt.Errorf("llm.prompts: %w", err)
	}
	known := map[string]bool{"VERSION": true}
	for _, f := range promptFiles {
		known[f] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			return kb.Invalid("llm.prompts", "%s holds %s, which replaces no prompt; known: VERSION, %s", dir, e.Name(), strings.Join(promptFiles, ", "))
		}
	}
	return nil
}

// render fills a prompt in.
func (p *prompts) render(task, language string, data any) (system, user string, err error) {
	t, ok := p.byName[task+"."+language]
	if !ok {
		return "", "", fmt.Errorf("no prompt for %s in %q", task, language)
	}
	var s, u strings.Builder
	if err := t.ExecuteTemplate(&s, "system", data); err != nil {
		return "", "", fmt.Errorf("prompt %s: %w", task, err)
	}
	if err := t.ExecuteTemplate(&u, "user", data); err != nil {
		return "", "", fmt.Errorf("prompt %s: %w", task, err)
	}
	return s.String(), u.String(), nil
}

// fence keeps data from closing its own fence.
func fence(s string) string {
	return strings.NewReplacer("<<<", "‹‹‹", ">>>", "›››").Replace(s)
}
