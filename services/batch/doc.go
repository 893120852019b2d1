// Package batch is the JSON form of the contract: one codec that JSON Lines and
// HTTP share, and the loop that drives a layer over lines.
//
// The form is that of the .proto files with their own field names. It differs from
// protojson where the contract does: enums lose their prefix, an unspecified enum is
// absent, known numbers and booleans are written even when 0 or false, 64-bit counts
// are numbers, and reading is strict: an unknown field, a wrong type or an unknown
// enum value is kb.InvalidError with the path of the field.
package batch
