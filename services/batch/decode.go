package batch

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
)

// ErrNotObject is the class of inputs that are no JSON object at all, so that no
// field can be named. Such an error is kb.ErrInvalid too.
var ErrNotObject = errors.New("not a JSON object")

type notObjectError struct{ message string }

func (e *notObjectError) Error() string { return e.message }

func (e *notObjectError) Is(target error) bool {
	return target == ErrNotObject || target == kb.ErrInvalid
}

// Unmarshal reads the JSON form into the message, strictly: see the package comment.
// null is as good as absent. Enum values are read without and with their prefix.
func Unmarshal(data []byte, m proto.Message) error {
	if !utf8.Valid(data) {
		return &notObjectError{"the input is not UTF-8; write UTF-8"}
	}
	// The whole input is checked first: a line that is not JSON has no fields to complain of.
	if !json.Valid(data) {
		var raw json.RawMessage
		err := json.Unmarshal(data, &raw)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return &notObjectError{fmt.Sprintf("the input is not JSON: %s at byte %d", syntax, syntax.Offset)}
		}
		return &notObjectError{"the input is not JSON"}
	}
	raw := bytes.TrimSpace(data)
	if raw[0] != '{' {
		return &notObjectError{"the input is " + show(raw) + "; write a JSON object"}
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	d := decoder{in}
	if _, err := d.next(); err != nil {
		return err
	}
	return d.object(m.ProtoReflect(), "")
}

// show is a JSON value as a message quotes it.
func show(raw []byte) string {
	const most = 60
	s := string(raw)
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return s
}

type decoder struct{ in *json.Decoder }

// next is the next token. The input was checked, so that an error is a bug.
func (d decoder) next() (json.Token, error) {
	tok, err := d.in.Token()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return tok, nil
}

func member(path string, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// object reads the members of an object whose brace has been read.
func (d decoder) object(m protoreflect.Message, path string) error {
	fields := m.Descriptor().Fields()
	seen := map[string]bool{}
	for d.in.More() {
		tok, err := d.next()
		if err != nil {
			return err
		}
		name, _ := tok.(string) // a key always is one
		at := member(path, name)
		fd := fields.ByName(protoreflect.Name(name))
		if fd == nil {
			return kb.Invalid(at, "is no field%s", remedy(name, fields))
		}
		if seen[name] {
			return kb.Invalid(at, "stands twice; write it once")
		}
		seen[name] = true
		tok, err = d.next()
		if err != nil {
			return err
		}
		if tok == nil { // null
			continue
		}
		if oneof := fd.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
			if other := m.WhichOneof(oneof); other != nil {
				return kb.Invalid(at, "stands beside %s; write one of the two", other.Name())
			}
		}
		if err := d.field(m, fd, tok, at); err != nil {
			return err
		}
		if flag, ok := followed[fd.FullName()]; ok && !seen[string(flag)] {
			m.Set(fields.ByName(flag), protoreflect.ValueOfBool(true))
		}
	}
	_, err := d.next() // the closing brace
	return err
}

// remedy names the field that was meant, or all there are.
func remedy(name string, fields protoreflect.FieldDescriptors) string {
	names := make([]string, fields.Len())
	best, distance := "", len([]rune(name))/3+2
	for i := range names {
		names[i] = string(fields.Get(i).Name())
		if n := services.EditDistance(name, names[i]); n < distance {
			best, distance = names[i], n
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; the fields are " + strings.Join(names, ", ")
}

func (d decoder) field(m protoreflect.Message, fd protoreflect.FieldDescriptor, tok json.Token, at string) error {
	switch {
	case fd.IsList():
		if tok != json.Delim('[') {
			return d.mismatch(at, tok, "a list")
		}
		list := m.Mutable(fd).List()
		for i := 0; d.in.More(); i++ {
			tok, err := d.next()
			if err != nil {
				return err
			}
			v, err := d.value(fd, list.NewElement, tok, at+"["+strconv.Itoa(i)+"]")
			if err != nil {
				return err
			}
			list.Append(v)
		}
		_, err := d.next()
		return err
	case fd.IsMap():
		if tok != json.Delim('{') {
			return d.mismatch(at, tok, "an object")
		}
		entries := m.Mutable(fd).Map()
		for d.in.More() {
			key, err := d.next()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			tok, err := d.next()
			if err != nil {
				return err
			}
			v, err := d.value(fd.MapValue(), entries.NewValue, tok, member(at, name))
			if err != nil {
				return err
			}
			k := protoreflect.ValueOfString(name).MapKey()
			if entries.Has(k) {
				return kb.Invalid(member(at, name), "stands twice; write it once")
			}
			entries.Set(k, v)
		}
		_, err := d.next()
		return err
	default:
		v, err := d.value(fd, func() protoreflect.Value { return m.NewField(fd) }, tok, at)
		if err != nil {
			return err
		}
		m.Set(fd, v)
		return nil
	}
}

// value reads one element whose first token has been read.
func (d decoder) value(fd protoreflect.FieldDescriptor, fresh func() protoreflect.Value, tok json.Token, at string) (protoreflect.Value, error) {
	none := protoreflect.Value{}
	switch fd.Kind() {
	case protoreflect.MessageKind:
		if tok != json.Delim('{') {
			return none, d.mismatch(at, tok, "an object")
		}
		v := fresh()
		return v, d.object(v.Message(), at)
	case protoreflect.StringKind:
		if s, ok := tok.(string); ok {
			return protoreflect.ValueOfString(s), nil
		}
		return none, d.mismatch(at, tok, "a string")
	case protoreflect.BytesKind:
		s, ok := tok.(string)
		if !ok {
			return none, d.mismatch(at, tok, "a string in base64")
		}
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return none, kb.Invalid(at, "is not base64: %v", err)
		}
		return protoreflect.ValueOfBytes(data), nil
	case protoreflect.BoolKind:
		if b, ok := tok.(bool); ok {
			return protoreflect.ValueOfBool(b), nil
		}
		return none, d.mismatch(at, tok, "true or false")
	case protoreflect.EnumKind:
		return d.enum(fd.Enum(), tok, at)
	case protoreflect.DoubleKind:
		n, ok := tok.(json.Number)
		if !ok {
			return none, d.mismatch(at, tok, "a number")
		}
		f, err := strconv.ParseFloat(n.String(), 64)
		if err != nil {
			return none, kb.Invalid(at, "%s is too large; write a number a computer can hold", show([]byte(n.String())))
		}
		return protoreflect.ValueOfFloat64(f), nil
	case protoreflect.Int32Kind, protoreflect.Int64Kind:
		n, ok := tok.(json.Number)
		if !ok {
			return none, d.mismatch(at, tok, "a whole number")
		}
		whole, err := wholeNumber(n.String())
		if err != nil {
			return none, kb.Invalid(at, "%s is no whole number in range; write one", show([]byte(n.String())))
		}
		if fd.Kind() == protoreflect.Int64Kind {
			return protoreflect.ValueOfInt64(whole), nil
		}
		if whole < math.MinInt32 || whole > math.MaxInt32 {
			return none, kb.Invalid(at, "%d is out of range; write at most %d", whole, math.MaxInt32)
		}
		return protoreflect.ValueOfInt32(int32(whole)), nil
	default:
		return none, fmt.Errorf("read %s: the contract has no %v", fd.FullName(), fd.Kind())
	}
}

// wholeNumber reads 10, and 10.0 or 1e1 as some writers of JSON put it.
func wholeNumber(s string) (int64, error) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, err
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, strconv.ErrRange
	}
	return int64(f), nil
}

func (d decoder) enum(e protoreflect.EnumDescriptor, tok json.Token, at string) (protoreflect.Value, error) {
	s, ok := tok.(string)
	if !ok {
		return protoreflect.Value{}, d.mismatch(at, tok, "one of "+enumNames(e))
	}
	prefix := enumPrefix(e)
	v := e.Values().ByName(protoreflect.Name(prefix + strings.TrimPrefix(s, prefix)))
	if v == nil || v.Number() == 0 {
		return protoreflect.Value{}, kb.Invalid(at, "%s is no value of it; write one of %s", show([]byte(strconv.Quote(s))), enumNames(e))
	}
	return protoreflect.ValueOfEnum(v.Number()), nil
}

func enumNames(e protoreflect.EnumDescriptor) string {
	var names []string
	for i := range e.Values().Len() {
		if v := e.Values().Get(i); v.Number() != 0 {
			names = append(names, enumName(e, v.Number()))
		}
	}
	return strings.Join(names, ", ")
}

// mismatch says that a value has the wrong type.
func (d decoder) mismatch(at string, tok json.Token, want string) error {
	got := ""
	switch v := tok.(type) {
	case nil:
		got = "null"
	case bool:
		got = strconv.FormatBool(v)
	case json.Number:
		got = show([]byte(v.String())) + ", a number"
	case string:
		got = show(appendString(nil, v)) + ", a string"
	case json.Delim:
		got = "an object"
		if v == '[' {
			got = "a list"
		}
	}
	return kb.Invalid(at, "is %s; write %s", got, want)
}

// lineID is the id of a line that may have any fault: its text if it is a string, the
// number as written if it is one, else "".
func lineID(data []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return ""
	}
	raw := fields["id"]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}
