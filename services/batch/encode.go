package batch

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// optionalLists are the lists of replies that are absent when empty, marked "?" in
// the contract; other lists of replies are written as []. In requests and in what
// callers hand over an empty list says no more than an absent one.
var optionalLists = map[protoreflect.FullName]bool{
	"suffice.v1.AskResponse.stale":           true,
	"suffice.v1.AssessResponse.stale":        true,
	"suffice.v1.Claim.cited":                 true,
	"suffice.v1.PrecheckResponse.decided":    true,
	"suffice.v1.RetrievedPassage.supersedes": true,
	"suffice.v1.Passage.supersedes":          true,
	"suffice.v1.Passage.heading_path":        true,
	"suffice.v1.Document.supersedes":         true,
	"suffice.v1.Document.readers":            true,
}

// followed are the booleans that say whether a list is there at all: they are not
// written, the presence of the list says it.
var followed = map[protoreflect.FullName]protoreflect.Name{
	"suffice.v1.AskRequest.passages": "handed_over",
}

// Marshal is the JSON form of the message, on one line, fields in the order of the
// .proto file, keys of maps sorted. A number that JSON cannot write (NaN, infinity)
// is an error: it is a bug of whoever computed it.
func Marshal(m proto.Message) ([]byte, error) {
	return appendMessage(nil, m.ProtoReflect())
}

func appendMessage(b []byte, m protoreflect.Message) ([]byte, error) {
	var err error
	b = append(b, '{')
	first := true
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if !written(m, fd) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendString(b, string(fd.Name()))
		b = append(b, ':')
		if b, err = appendField(b, m.Get(fd), fd); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// written says whether the field stands in the JSON form.
func written(m protoreflect.Message, fd protoreflect.FieldDescriptor) bool {
	message := fd.ContainingMessage()
	switch {
	case fd.IsList():
		if m.Get(fd).List().Len() > 0 {
			return true
		}
		if flag, ok := followed[fd.FullName()]; ok {
			return m.Get(message.Fields().ByName(flag)).Bool()
		}
		return !optionalLists[fd.FullName()] && !strings.HasSuffix(string(message.Name()), "Request")
	case fd.IsMap():
		return true
	case fd.HasPresence():
		for list, flag := range followed {
			if list.Parent() == message.FullName() && flag == fd.Name() {
				return false
			}
		}
		return m.Has(fd)
	case fd.Kind() == protoreflect.EnumKind:
		return m.Get(fd).Enum() != 0
	default:
		return true
	}
}

func appendField(b []byte, v protoreflect.Value, fd protoreflect.FieldDescriptor) ([]byte, error) {
	var err error
	switch {
	case fd.IsList():
		b = append(b, '[')
		for i := range v.List().Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, v.List().Get(i), fd); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case fd.IsMap():
		keys := make([]string, 0, v.Map().Len())
		v.Map().Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
			keys = append(keys, k.String())
			return true
		})
		slices.Sort(keys)
		b = append(b, '{')
		for i, key := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, key)
			b = append(b, ':')
			value := v.Map().Get(protoreflect.ValueOfString(key).MapKey())
			if b, err = appendValue(b, value, fd.MapValue()); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	default:
		return appendValue(b, v, fd)
	}
}

func appendValue(b []byte, v protoreflect.Value, fd protoreflect.FieldDescriptor) ([]byte, error) {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		return appendMessage(b, v.Message())
	case protoreflect.StringKind:
		return appendString(b, v.String()), nil
	case protoreflect.BytesKind:
		return appendString(b, base64.StdEncoding.EncodeToString(v.Bytes())), nil
	case protoreflect.BoolKind:
		return strconv.AppendBool(b, v.Bool()), nil
	case protoreflect.EnumKind:
		return appendString(b, enumName(fd.Enum(), v.Enum())), nil
	case protoreflect.Int32Kind, protoreflect.Int64Kind:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case protoreflect.DoubleKind:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("write %s: %v is no JSON number", fd.FullName(), f)
		}
		return appendFloat(b, f), nil
	default:
		return nil, fmt.Errorf("write %s: the contract has no %v", fd.FullName(), fd.Kind())
	}
}

// enumPrefix is what the names of an enum share, such as OUTCOME_.
func enumPrefix(d protoreflect.EnumDescriptor) string {
	return strings.TrimSuffix(string(d.Values().ByNumber(0).Name()), "UNSPECIFIED")
}

// enumName is the name without its prefix; the number for one that this release
// does not know.
func enumName(d protoreflect.EnumDescriptor, n protoreflect.EnumNumber) string {
	v := d.Values().ByNumber(n)
	if v == nil {
		return strconv.Itoa(int(n))
	}
	return strings.TrimPrefix(string(v.Name()), enumPrefix(d))
}

// appendFloat writes a number as JavaScript does: without exponent in the usual range.
func appendFloat(b []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64)
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string. Text stays readable: only what JSON requires is
// escaped, and the line separators that some readers of lines break at.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(b, s[from:i]...)
				b = append(b, `\ufffd`...)
				from = i + 1
			} else if r == '\u2028' || r == '\u2029' || r == '\u0085' {
				b = append(b, s[from:i]...)
				b = append(b, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
				from = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// AppendString appends s as a JSON string, as Marshal writes it.
func AppendString(b []byte, s string) []byte { return appendString(b, s) }
