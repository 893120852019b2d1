package batch

import (
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/convert"
)

// EncodeGap is the gap as a line of `suffice gaps`.
func EncodeGap(g kb.Gap) ([]byte, error) { return Marshal(convert.ToGap(g)) }

// EncodeIngestReport is the summary line of ingest.
func EncodeIngestReport(rep kb.IngestReport) ([]byte, error) {
	return Marshal(convert.ToIngestReport(rep))
}

// The five replies as lines, for a single question asked on the command line.

// EncodePrecheck is the reply of precheck.
func EncodePrecheck(id string, a kb.Analysis, v kb.Versions) ([]byte, error) {
	return Marshal(convert.ToPrecheckResponse(id, a, v))
}

// EncodeRetrieve is the reply of retrieve.
func EncodeRetrieve(id string, a kb.Analysis, got kb.Retrieved, v kb.Versions) ([]byte, error) {
	return Marshal(convert.ToRetrieveResponse(id, a, got, v))
}

// EncodeAssess is the reply of assess.
func EncodeAssess(id string, reply kb.Reply) ([]byte, error) {
	return Marshal(convert.ToAssessResponse(id, reply))
}

// EncodeVerify is the reply of verify.
func EncodeVerify(id string, v kb.Verification, versions kb.Versions) ([]byte, error) {
	return Marshal(convert.ToVerifyResponse(id, v, versions))
}

// EncodeAsk is the reply of ask.
func EncodeAsk(id string, reply kb.Reply) ([]byte, error) {
	return Marshal(convert.ToAskResponse(id, reply))
}
