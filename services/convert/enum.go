package convert

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoEnum is a generated enum type.
type protoEnum interface {
	~int32
	protoreflect.Enum
}

// enumPrefix is what the names of an enum share, such as QUESTION_CLASS_.
func enumPrefix(d protoreflect.EnumDescriptor) string {
	return strings.TrimSuffix(string(d.Values().ByNumber(0).Name()), "UNSPECIFIED")
}

// toEnum is the enum value of a kb constant; the zero value for "" and for a text
// that is none.
func toEnum[E protoEnum, K ~string](k K) E {
	var zero E
	if k == "" {
		return zero
	}
	d := zero.Descriptor()
	v := d.Values().ByName(protoreflect.Name(enumPrefix(d) + string(k)))
	if v == nil {
		return zero
	}
	return E(v.Number())
}

// fromEnum is the kb constant of an enum value; "" for the zero value and for a
// number that this release does not know.
func fromEnum[K ~string, E protoEnum](e E) K {
	d := e.Descriptor()
	v := d.Values().ByNumber(protoreflect.EnumNumber(e))
	if v == nil || v.Number() == 0 {
		return ""
	}
	return K(strings.TrimPrefix(string(v.Name()), enumPrefix(d)))
}
