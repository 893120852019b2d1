#!/usr/bin/env bash
# The tests that need real servers: conformance of the server forms, and the process on
# all three of them through their faults. with.sh sets the addresses.
# usage: with.sh test.sh [FLAG of go test...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for name in SUFFICE_TEST_POSTGRES SUFFICE_TEST_OPENSEARCH SUFFICE_TEST_NEO4J; do
  [ -n "${!name:-}" ] || { echo "test.sh: $name is not set; run scripts/services/with.sh scripts/services/test.sh" >&2; exit 2; }
done
# One package at a time: a killed server must not be another test's. All run, also after
# one has failed.
status=0
go test -p 1 -count 1 -timeout 20m "$@" -run 'Postgres|Shared' ./kb/store || status=1
go test -p 1 -count 1 -timeout 20m "$@" ./retrieval/opensearch ./retrieval/graph/neo4j || status=1
go test -p 1 -count 1 -timeout 20m "$@" -run 'Server' ./internal/app || status=1
exit $status
