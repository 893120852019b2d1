package app

import (
	"fmt"
	"slices"
	"strings"

	"suffice.dev/suffice/services/config"
)

// Role is what a process does.
type Role string

// The roles of `serve --role`. All other commands work as RoleAll.
const (
	RoleAll       Role = "all"
	RoleAsk       Role = "ask"
	RolePrecheck  Role = "precheck"
	RoleRetrieval Role = "retrieval"
	RoleRerank    Role = "rerank"
	RoleValidate  Role = "validate"
	RoleKnowledge Role = "knowledge"
)

// Roles lists the roles in the order of the contract.
var Roles = []Role{RoleAll, RoleAsk, RolePrecheck, RoleRetrieval, RoleRerank, RoleValidate, RoleKnowledge}

// ParseRole reads the name of a role.
func ParseRole(s string) (Role, error) {
	if r := Role(s); slices.Contains(Roles, r) {
		return r, nil
	}
	names := make([]string, len(Roles))
	for i, r := range Roles {
		names[i] = string(r)
	}
	return "", fmt.Errorf("role %q is not one of %s", s, strings.Join(names, ", "))
}

// form is how a process has a part.
type form int

const (
	absent form = iota // the role has no use for it
	here               // in this process
	there              // behind an address of the configuration
)

// table is the role table. Each part that a role needs and does not own is reached
// by its address; the stateless layers of `all` and `ask` stand in this process
// unless an address is given.
func (r Role) table(layers config.ByRole[config.Layer]) (map[Role]form, error) {
	t := map[Role]form{}
	reach := func(parts ...Role) error {
		for _, p := range parts {
			if layers[string(p)].Address == "" {
				return fmt.Errorf("role %s needs layers.%s.address: where that service listens, as host:port", r, p)
			}
			t[p] = there
		}
		return nil
	}
	stateless := func(parts ...Role) {
		for _, p := range parts {
			t[p] = here
			if layers[string(p)].Address != "" {
				t[p] = there
			}
		}
	}
	switch r {
	case RoleAll:
		stateless(RolePrecheck, RoleRerank, RoleValidate)
		t[RoleRetrieval], t[RoleKnowledge] = here, here
		switch one, other := layers["retrieval"].Address != "", layers["knowledge"].Address != ""; {
		case one && other:
			t[RoleRetrieval], t[RoleKnowledge] = there, there
		case one || other:
			return nil, fmt.Errorf("layers.retrieval.address and layers.knowledge.address belong together in role all: the index follows its store")
		}
		return t, nil
	case RoleAsk:
		stateless(RolePrecheck, RoleRerank, RoleValidate)
		return t, reach(RoleRetrieval, RoleKnowledge)
	case RoleRetrieval:
		t[RoleRetrieval] = here
		return t, reach(RoleKnowledge)
	}
	t[r] = here
	return t, nil
}

// keeps reports whether the role has a data folder.
func (r Role) keeps() bool { return r == RoleAll || r == RoleKnowledge || r == RoleRetrieval }
