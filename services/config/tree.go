package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

var durationType = reflect.TypeFor[time.Duration]()

// named is a map type whose keys are a fixed set.
type named interface{ Names() []string }

var (
	secretType = reflect.TypeFor[Secret]()
	dsnType    = reflect.TypeFor[DSN]()
)

// encode turns a value of the tree into plain data: maps, lists, numbers, bools
// and strings. Durations become strings. What is secret stays what it is: shown
// hides it.
func encode(v reflect.Value) any { return encoded(v, false) }

// shown is encode without secrets.
func shown(v reflect.Value) any { return encoded(v, true) }

func encoded(v reflect.Value, hide bool) any {
	switch {
	case hide && v.Type() == secretType:
		return ""
	case hide && v.Type() == dsnType:
		return DSN(v.String()).String()
	case v.Type() == durationType:
		return v.Interface().(time.Duration).String()
	case v.Kind() == reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			out[v.Type().Field(i).Tag.Get("key")] = encoded(v.Field(i), hide)
		}
		return out
	case v.Kind() == reflect.Map:
		out := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			out[it.Key().String()] = encoded(it.Value(), hide)
		}
		return out
	case v.Kind() == reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = encoded(v.Index(i), hide)
		}
		return out
	case v.Kind() == reflect.Int:
		return int(v.Int())
	case v.Kind() == reflect.Float64:
		return v.Float()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	}
	return v.String()
}

// decoder fills a tree from plain data and notes what does not fit. Data that
// does not fit is removed from the maps it stands in, so that a later source is
// still merged and judged.
type decoder struct {
	problems []Problem
	text     bool // values are texts from a variable or a flag, to be parsed by type
}

func (d *decoder) add(key, format string, args ...any) bool {
	d.problems = append(d.problems, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
	return false
}

// decode reports whether raw fits.
func (d *decoder) decode(v reflect.Value, raw any, path string) bool {
	switch {
	case v.Type() == durationType:
		s, ok := raw.(string)
		if !ok {
			return d.add(path, "%s is not a duration; write it with its unit, such as 300ms or 2s", show(raw))
		}
		x, err := time.ParseDuration(strings.TrimSpace(s))
		if err != nil {
			return d.add(path, "%q is not a duration; write it with its unit, such as 300ms or 2s", s)
		}
		v.SetInt(int64(x))
		return true
	case v.Kind() == reflect.Struct:
		return d.fields(v, raw, path)
	case v.Kind() == reflect.Map:
		return d.entries(v, raw, path)
	case v.Kind() == reflect.Slice:
		return d.list(v, raw, path)
	}
	return d.scalar(v, raw, path)
}

func (d *decoder) fields(v reflect.Value, raw any, path string) bool {
	m, ok := section(raw)
	if !ok {
		return d.add(path, "%s is not a section; known keys: %s", show(raw), strings.Join(fieldNames(v.Type()), ", "))
	}
	for _, name := range sortedKeys(m) {
		full := join(path, name)
		i := fieldIndex(v.Type(), name)
		if i < 0 {
			d.unknown(full, m[name])
			delete(m, name)
			continue
		}
		if !d.decode(v.Field(i), m[name], full) {
			delete(m, name)
		}
	}
	return true
}

func (d *decoder) entries(v reflect.Value, raw any, path string) bool {
	m, ok := section(raw)
	if !ok {
		return d.add(path, "%s is not a section of names", show(raw))
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	n, fixed := v.Interface().(named)
	for _, name := range sortedKeys(m) {
		full := join(path, name)
		if fixed && !slices.Contains(n.Names(), name) {
			d.unknown(full, m[name])
			delete(m, name)
			continue
		}
		item := reflect.New(v.Type().Elem()).Elem()
		if !d.decode(item, m[name], full) {
			delete(m, name)
			continue
		}
		v.SetMapIndex(reflect.ValueOf(name), item)
	}
	return true
}

func (d *decoder) list(v reflect.Value, raw any, path string) bool {
	items, ok := raw.([]any)
	if s, isText := raw.(string); !ok && isText && d.text {
		ok = true
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				items = append(items, part)
			}
		}
	}
	if !ok {
		return d.add(path, "%s is not a list; write [a, b]", show(raw))
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	fits := true
	for i, item := range items {
		fits = d.decode(out.Index(i), item, path+"["+strconv.Itoa(i)+"]") && fits
	}
	v.Set(out)
	return fits
}

func (d *decoder) scalar(v reflect.Value, raw any, path string) bool {
	s, isText := raw.(string)
	parse := isText && d.text
	switch v.Kind() {
	case reflect.String:
		if !isText {
			return d.add(path, "%s is not a text; put it in quotes", show(raw))
		}
		v.SetString(s)
	case reflect.Bool:
		x, ok := raw.(bool)
		if parse {
			b, err := strconv.ParseBool(s)
			x, ok = b, err == nil
		}
		if !ok {
			return d.add(path, "%s is not true or false", show(raw))
		}
		v.SetBool(x)
	case reflect.Int:
		x, ok := raw.(int)
		if parse {
			n, err := strconv.Atoi(s)
			x, ok = n, err == nil
		}
		if !ok {
			return d.add(path, "%s is not a whole number", show(raw))
		}
		v.SetInt(int64(x))
	case reflect.Float64:
		var x float64
		ok := true
		switch n := raw.(type) {
		case float64:
			x = n
		case int:
			x = float64(n)
		default:
			ok = false
		}
		if parse {
			f, err := strconv.ParseFloat(s, 64)
			x, ok = f, err == nil
		}
		if !ok {
			return d.add(path, "%s is not a number", show(raw))
		}
		v.SetFloat(x)
	}
	return true
}

func (d *decoder) unknown(path string, value any) {
	shown := ""
	_, isSection := value.(map[string]any)
	if !isSection {
		shown = " (value " + show(value) + ")"
	}
	d.add(path, "unknown key%s%s", shown, nearest(path, isSection))
}

// nearest proposes a known key, or a section where one was written: a sibling of
// nearly the same name, else a key anywhere that ends in the same word, else the
// nearest path.
func nearest(path string, isSection bool) string {
	known := knownKeys()
	parent, last := "", path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		parent, last = path[:i], path[i+1:]
	}
	if names, ok := children(parent, isSection); ok {
		if h := hint(last, names); h != "" {
			return strings.Replace(h, "mean ", "mean "+prefix(parent), 1)
		}
	}
	for _, k := range known {
		if strings.HasSuffix(k, "."+last) {
			return "; did you mean " + k + "?"
		}
	}
	return hint(path, known)
}

func prefix(parent string) string {
	if parent == "" {
		return ""
	}
	return parent + "."
}

// children lists the sections, or the keys with a value, below a section; ok is
// false when path is no section or its names are free.
func children(path string, sections bool) (names []string, ok bool) {
	t := reflect.TypeFor[Config]()
	if path != "" {
		for part := range strings.SplitSeq(path, ".") {
			if t, ok = step(t, part); !ok {
				return nil, false
			}
		}
	}
	all := []string{}
	if t.Kind() == reflect.Struct {
		all = fieldNames(t)
	} else if n, fixed := reflect.Zero(t).Interface().(named); fixed {
		all = n.Names()
	}
	for _, name := range all {
		if below, _ := step(t, name); isSectionType(below) == sections {
			names = append(names, name)
		}
	}
	return names, len(all) > 0
}

func isSectionType(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// step goes from a section's type to the type of one of its names.
func step(t reflect.Type, name string) (reflect.Type, bool) {
	switch t.Kind() {
	case reflect.Struct:
		if i := fieldIndex(t, name); i >= 0 {
			return t.Field(i).Type, true
		}
	case reflect.Map:
		if n, fixed := reflect.Zero(t).Interface().(named); fixed && !slices.Contains(n.Names(), name) {
			return nil, false
		}
		return t.Elem(), true
	}
	return nil, false
}

// leaf returns the type of a key that holds a value.
func leaf(path string) (reflect.Type, bool) {
	t := reflect.TypeFor[Config]()
	for part := range strings.SplitSeq(path, ".") {
		next, ok := step(t, part)
		if !ok {
			return nil, false
		}
		t = next
	}
	return t, !isSectionType(t)
}

// knownKeys lists all keys with a value, in the order of the tree. Free names
// stand as <name>.
func knownKeys() []string {
	var out []string
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				walk(t.Field(i).Type, join(path, t.Field(i).Tag.Get("key")))
			}
		case reflect.Map:
			names := []string{"<name>"}
			if n, fixed := reflect.Zero(t).Interface().(named); fixed {
				names = n.Names()
			}
			for _, name := range names {
				walk(t.Elem(), join(path, name))
			}
		default:
			out = append(out, path)
		}
	}
	walk(reflect.TypeFor[Config](), "")
	return out
}

func fieldNames(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range out {
		out[i] = t.Field(i).Tag.Get("key")
	}
	return out
}

func fieldIndex(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("key") == name {
			return i
		}
	}
	return -1
}

// section reads a raw value as a map; an empty section (`gate:` with nothing
// below it) is one.
func section(raw any) (map[string]any, bool) {
	if raw == nil {
		return nil, true
	}
	m, ok := raw.(map[string]any)
	return m, ok
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// show prints a raw value for a message, cut to a readable length.
func show(raw any) string {
	var s string
	switch x := raw.(type) {
	case nil:
		return "nothing"
	case string:
		s = strconv.Quote(x)
	case map[string]any:
		return "a section"
	default:
		s = fmt.Sprint(x)
	}
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return s
}
