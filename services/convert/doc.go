// Package convert changes the protobuf messages of the contract into the types of
// kb and back.
//
// ToX makes the message of a kb value. FromX reads a message: it checks what a
// caller may get wrong and returns kb.InvalidError with the path of the field.
// The two are inverse: FromX(ToX(v)) equals v, apart from the fields a message
// does not carry, which the function names.
//
// The functions for requests of AskService and PrecheckService apply the limits
// of the contract; the layer services, which only other roles call, trust the
// sizes they are given.
package convert
