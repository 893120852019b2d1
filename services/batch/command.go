package batch

import (
	"context"
	"strconv"

	"google.golang.org/protobuf/proto"

	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
)

// Calls are the five calls of the contract: in this process (grpcapi.NewContract) or
// at a server (remote.NewCalls). Their errors are those of services.Pipeline.
type Calls interface {
	Ask(context.Context, *pb.AskRequest) (*pb.AskResponse, error)
	Retrieve(context.Context, *pb.RetrieveRequest) (*pb.RetrieveResponse, error)
	Assess(context.Context, *pb.AssessRequest) (*pb.AssessResponse, error)
	Verify(context.Context, *pb.VerifyRequest) (*pb.VerifyResponse, error)
	Precheck(context.Context, *pb.PrecheckRequest) (*pb.PrecheckResponse, error)
}

// Command is one of the five calls over JSON. The zero value is none.
type Command struct {
	Name string // precheck, retrieve, assess, verify or ask
	do   func(ctx context.Context, calls Calls, data []byte, noGaps bool) (proto.Message, error)
}

// Commands are the five calls in the order of the contract.
var Commands = []Command{
	command("precheck", func() *pb.PrecheckRequest { return new(pb.PrecheckRequest) }, Calls.Precheck),
	command("retrieve", func() *pb.RetrieveRequest { return new(pb.RetrieveRequest) }, Calls.Retrieve),
	command("assess", func() *pb.AssessRequest { return new(pb.AssessRequest) }, Calls.Assess),
	command("verify", func() *pb.VerifyRequest { return new(pb.VerifyRequest) }, Calls.Verify),
	command("ask", func() *pb.AskRequest { return new(pb.AskRequest) }, Calls.Ask),
}

// ByName is the command of that name.
func ByName(name string) (Command, bool) {
	for _, c := range Commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

func command[Q, P proto.Message](name string, fresh func() Q, call func(Calls, context.Context, Q) (P, error)) Command {
	return Command{Name: name, do: func(ctx context.Context, calls Calls, data []byte, noGaps bool) (proto.Message, error) {
		request := fresh()
		if err := Unmarshal(data, request); err != nil {
			return nil, err
		}
		if ask, ok := proto.Message(request).(*pb.AskRequest); ok && noGaps {
			ask.NoGaps = proto.Bool(true)
		}
		return call(calls, ctx, request)
	}}
}

// Do reads a request, makes the call and writes the reply. ID is the id of the
// request, also where the call failed, as far as the input shows it.
func (c Command) Do(ctx context.Context, calls Calls, data []byte) (reply []byte, id string, err error) {
	return c.run(ctx, calls, data, false)
}

func (c Command) run(ctx context.Context, calls Calls, data []byte, noGaps bool) (reply []byte, id string, err error) {
	m, err := c.do(ctx, calls, data, noGaps)
	if err == nil {
		reply, err = Marshal(m)
	}
	if err != nil {
		return nil, lineID(data), err
	}
	if m, ok := m.(interface{ GetId() string }); ok {
		id = m.GetId()
	}
	return reply, id, nil
}

// ErrorObject is the JSON form of an error: {"id","error":{"code","field"?,"message"}}.
// A line number above 0 is written beside the id, for a line without one.
func ErrorObject(id string, line int, err error) []byte {
	p := services.Describe(err)
	b := append([]byte(`{"id":`), appendString(nil, id)...)
	if line > 0 {
		b = append(b, `,"line":`...)
		b = strconv.AppendInt(b, int64(line), 10)
	}
	b = append(b, `,"error":{"code":`...)
	b = appendString(b, p.Name)
	if p.Field != "" {
		b = append(b, `,"field":`...)
		b = appendString(b, p.Field)
	}
	b = append(b, `,"message":`...)
	b = appendString(b, p.Message)
	return append(b, "}}"...)
}
