package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// TestSetOfAnEvaluation: --set names data sets, and with a = configuration keys, wherever it
// stands.
func TestSetOfAnEvaluation(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		names []string
		sets  []string
	}{
		{nil, []string{"cmrc2018", "squad2"}, nil},
		{[]string{"--set", "ramdocs"}, []string{"ramdocs"}, nil},
		{[]string{"--set", "ramdocs,squad2", "--set=hotpotqa"}, []string{"ramdocs", "squad2", "hotpotqa"}, nil},
		{[]string{"--set", "reader.mode=off"}, []string{"cmrc2018", "squad2"}, []string{"reader.mode=off"}},
		{[]string{"--set", "lexicon.paths=a,b", "--set", "ramdocs"}, []string{"ramdocs"}, []string{"lexicon.paths=a,b"}},
	} {
		c := &cli{}
		var names []string
		cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return nil }}
		c.setsFlag(cmd, &names, []string{"cmrc2018", "squad2"}, "data sets")
		root := &cobra.Command{Use: "suffice"}
		root.PersistentFlags().StringArrayVar(&c.sets, "set", nil, "a key")
		root.AddCommand(cmd)
		root.SetArgs(append([]string{"x"}, tt.args...))
		root.SetErr(io.Discard)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]string{tt.names, tt.sets}, [][]string{names, c.sets}); diff != "" {
			t.Errorf("%v: names and keys (-want +got):\n%s", tt.args, diff)
		}
	}
	// All evaluations that name data sets take both.
	var out, errOut bytes.Buffer
	for _, name := range []string{"corpus", "retrieval", "routes", "ask", "order", "verification", "answers"} {
		out.Reset()
		errOut.Reset()
		if code := run(t.Context(), []string{"evaluate", name, "--help"}, nil, &out, &errOut, nil); code != exitOK || !bytes.Contains(out.Bytes(), []byte("or a configuration key")) {
			t.Errorf("evaluate %s --help: status %d\n%s%s", name, code, out.String(), errOut.String())
		}
	}
}
